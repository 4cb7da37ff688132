import Testing
import VaultTestSupport

/// Names that decide which code some program runs or loads, or where it connects.
private let decisive = """
  PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND ZDOTDIR FPATH CDPATH INPUTRC HISTFILE LD_PRELOAD
  LD_LIBRARY_PATH LD_AUDIT LD_DEBUG DYLD_INSERT_LIBRARIES GCONV_PATH GLIBC_TUNABLES LOCPATH NLSPATH MALLOC_CHECK_ PERL5LIB PERL5OPT
  PERL5DB PERLLIB PERL_MB_OPT PERL_MM_OPT PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE PYTHONWARNINGS
  PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHONPLATLIBDIR RUBYLIB RUBYOPT GEM_PATH GEM_HOME BUNDLE_GEMFILE NODE_PATH NODE_OPTIONS
  NODE_EXTRA_CA_CERTS NPM_CONFIG_USERCONFIG npm_config_script_shell npm_config_registry npm_config_node_options YARN_RC_FILENAME
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH JAVA_HOME MAVEN_OPTS GRADLE_OPTS GRADLE_USER_HOME ANT_OPTS SBT_OPTS
  DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER COR_PROFILER_PATH LUA_INIT LUA_PATH
  LUA_CPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER R_LIBS JULIA_LOAD_PATH ERL_LIBS ERL_FLAGS ELIXIR_ERL_OPTIONS GUILE_LOAD_PATH
  EMACSLOADPATH VIMINIT EXINIT GTK_MODULES GTK_PATH QT_PLUGIN_PATH QT_QPA_PLATFORM_PLUGIN_PATH XDG_CONFIG_HOME XDG_DATA_DIRS
  XDG_CONFIG_DIRS HOME OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSL_CERT_FILE SSL_CERT_DIR CURL_HOME CURL_CA_BUNDLE WGETRC LESSOPEN
  LESSCLOSE LESSKEY LESS MANPAGER MANOPT PAGER EDITOR VISUAL FCEDIT SUDO_EDITOR BROWSER SHELL TERMINFO TERMCAP SSH_ASKPASS SUDO_ASKPASS
  GIT_ASKPASS GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND HGRCPATH SVN_SSH CVS_RSH
  RSYNC_RSH SSH_AUTH_SOCK KUBECONFIG KUBECTL_EXTERNAL_DIFF HELM_PLUGINS ANSIBLE_CONFIG ANSIBLE_LIBRARY ANSIBLE_VAULT_PASSWORD_FILE
  TF_CLI_ARGS TF_CLI_CONFIG_FILE TF_PLUGIN_CACHE_DIR MAKEFLAGS MAKEFILES GNUMAKEFLAGS CC CXX LD AS AR CFLAGS LDFLAGS RUSTC RUSTC_WRAPPER
  RUSTFLAGS CARGO_HOME CARGO_BUILD_RUSTC GOFLAGS GOPROXY GOROOT GOTOOLDIR CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH TAR_OPTIONS GZIP UNZIP
  ZIPOPT GREP_OPTIONS POSIXLY_CORRECT PSQLRC PGSYSCONFDIR PGSERVICEFILE PGHOST PGHOSTADDR MYSQL_HOME LIBMYSQL_PLUGINS DOCKER_HOST
  DOCKER_CONFIG http_proxy https_proxy HTTPS_PROXY ALL_PROXY NO_PROXY AWS_CONFIG_FILE AWS_ENDPOINT_URL GOOGLE_APPLICATION_CREDENTIALS
  PIP_INDEX_URL PIP_CONFIG_FILE UV_INDEX_URL POETRY_REPOSITORIES SYSTEMD_PAGER SYSTEMD_EDITOR DBUS_SESSION_BUS_ADDRESS TMPDIR USER PWD
  CVAULT_DIR CVAULT_PASSPHRASE_COMMAND CVAULT_TOKEN PIP_PASSWORD LD_KEY GIT_TOKEN
  """.split { $0 == " " || $0 == "\n" }.map(String.init)

@Suite("Variables of files")
struct FileVariableTests {
  @Test("a file does not set unasked what decides which code runs, or where a program connects")
  func unasked() throws {
    let workspace = try Workspace.withVault()
    #expect(decisive.count > 156)
    for name in decisive {
      _ = workspace.write("\(name)=x\n", to: "bad.env")
      let refused = workspace.open("run", "--env-file", "bad.env", "--dry-run")
      #expect(refused.status == .notRun, "\(name)")
    }
  }

  @Test(
    "a file sets unasked what says a secret, or who logs in",
    arguments: [
      "A", "PGPASSWORD", "DB_PASSWORD", "API_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "PGUSER",
      "MYSQL_PWD", "token",
    ])
  func allowed(_ name: String) throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("\(name)=x\n", to: "a.env")
    #expect(Self.run(workspace, ["--env-file", "a.env"], ["printenv", name]).output == "x\n")
  }

  @Test("other names are set when they are asked for by name, and the refusal says how")
  func asked() throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("PGHOST=h\nPGPORT=1\nB=2\n", to: "a.env")
    let refused = Self.run(workspace, ["--env-file", "a.env"], ["printenv", "PGHOST"])
    #expect(refused.status == .notRun)
    #expect(refused.errors.contains("--allow PGHOST,PGPORT"))
    for words in [["--allow", "PGHOST,PGPORT"], ["--only", "PGHOST"]] {
      let given = Self.run(workspace, ["--env-file", "a.env"] + words, ["printenv", "PGHOST"])
      #expect(given.output == "h\n", "\(given.errors)")
    }
    _ = workspace.write("PATH=/x\n", to: "a.env")
    #expect(Self.run(workspace, ["--env-file", "a.env", "--allow", "PATH"], ["true"]).status == .notRun)
  }

  @Test(
    "a program does not inherit the descriptor of a passphrase",
    arguments: [
      "$V run $K --passphrase-fd 9 -- $READ 9<pw", "CVAULT_PASSPHRASE_FD=9 $V run $K -- $READ 9<pw",
      "$V run $K --passphrase-fd 9 --pristine -- $READ 9<pw", "$V run --vault p --passphrase-fd 9 -- $READ 9<pw",
      "$V run --vault p --passphrase-fd 9 --wait -- $READ 9<pw | cat",
      "CVAULT_PASSPHRASE_FD=9 $V run --vault p -- $READ 9<pw",
      "$V run --vault p --passphrase-fd 0 -- head -c 9 /proc/self/fd/0 <pw",
    ])
  func descriptors(_ line: String) throws {
    let workspace = try Workspace.withVault()
    workspace.prepare(
      "echo hunter2-words >pw; \(Binary.path) init p --passphrase --new-passphrase-file pw --work-factor 10")
    let script = """
      V='\(Binary.path)' K='--vault v --identity id.txt' READ='head -c 9 /proc/self/fd/9'
      { \(line) ; } 2>&1
      """
    let shell = ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: workspace.plan([]).environment, directory: workspace.path
    )
    #expect(!shell.run().output.contains("hunter2"))
  }

  private static func run(_ workspace: Workspace, _ options: [String], _ command: [String]) -> ProcessOutcome {
    workspace.run(["run", "--vault", "v", "--identity", "id.txt"] + options + ["--"] + command)
  }
}
