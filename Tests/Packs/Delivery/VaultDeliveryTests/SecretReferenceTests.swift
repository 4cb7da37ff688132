import Testing
import VaultDelivery
import VaultDocument
import VaultKit

@Suite("References")
struct SecretReferenceTests {
  @Test(
    "each form is read, and written again as it was",
    arguments: [
      "cvault://Ada%20Example/access_key", "cvault://5adb9ba0-0000-4000-8000-000000000001/contact_info.email#Ada",
      "cvault://a%2Fb/tags[0]", "cvault://%40home/x", "cvault://GitHub/totp?view=otp", "cvault://DB?view=url",
      "cvault://Z%C3%BCrich/password#Z%C3%BCrich", "cvault://x/custom[%22a.b%22]",
    ])
  func roundTrip(_ text: String) throws {
    let reference = try SecretReference(parsing: text)
    let again = try SecretReference(parsing: reference.description)
    #expect(again == reference)
  }

  @Test("parts are what they were encoded from; the scheme may stand in any case")
  func parts() throws {
    let reference = try SecretReference(parsing: "CVault://a%2Fb%20c/contact_info.email#d%20e")
    #expect(reference.record == "a/b c")
    #expect(reference.path?.description == "contact_info.email")
    #expect(reference.label == "d e")
    #expect(reference.view == nil)
    #expect(reference.description == "cvault://a%2Fb%20c/contact_info.email#d%20e")
    #expect(try SecretReference(parsing: "cvault://DB?view=url").path == nil)
  }

  @Test(
    "what is none is refused",
    arguments: [
      "", "cvault", "cvault:/a/b", "op://a/b", "cvault://", "cvault:///x", "cvault://a", "cvault://a/",
      "cvault://a/b/c",
      "cvault://a/b?", "cvault://a/b?view=", "cvault://a/b?view=OTP", "cvault://a/b?x=1", "cvault://a/b#",
      "cvault://a/b%2", "cvault://a/b%zz", "cvault://a%ff/b", "cvault://@home/a", "cvault://a/b?view=url",
      "cvault://a?view=otp", "cvault://a/[", "cvault://a/b..c",
    ])
  func refused(_ text: String) {
    #expect(throws: ReferenceFault.self) { try SecretReference(parsing: text) }
  }

  @Test("references are found in any text, with their lines")
  func found() {
    let text = """
      A=cvault://a/b
      url: "cvault://x/y?view=otp#z", {{ CVAULT://q/r }} (see cvault://a/c).
      xcvault://n/o é cvault://ü cvault://
      """
    let found = SecretReference.found(in: Array(text.utf8))
    #expect(found.map(\.line) == [1, 2, 2, 2, 3, 3, 3])
    #expect(
      found.map(\.text) == [
        "cvault://a/b", "cvault://x/y?view=otp#z", "CVAULT://q/r", "cvault://a/c", "cvault://n/o", "cvault://",
        "cvault://",
      ])
  }
}

@Suite("Files of variables")
struct EnvironmentFileTests {
  private func fault(_ text: String) -> TextFault? {
    do throws(TextFault) {
      _ = try EnvironmentFile.parse(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("references and texts, quoted or not")
  func entries() throws {
    let text = "# one\nA=cvault://a/b\n\nB='x y'\nC=\"cvault://c/d#e\"\nexport D=$HOME # no\n"
    let entries = try EnvironmentFile.parse(Array(text.utf8))
    #expect(entries.map(\.variable.name) == ["A", "B", "C", "D"])
    #expect(entries.map(\.line) == [2, 4, 5, 6])
    guard case .reference(let first) = entries[0].variable.content, case .text("x y") = entries[1].variable.content,
      case .reference(let third) = entries[2].variable.content, case .text("$HOME") = entries[3].variable.content
    else {
      Issue.record("other contents")
      return
    }
    #expect(first.record == "a")
    #expect(third.label == "e")
  }

  @Test(
    "a line that is none refuses the file and names the line",
    arguments: [
      "A", "A b", "=x", "1A=x", "A.B=x", "A-B=x", "A='x", "A=cvault://a", "A=cvault://@v/a/b", "A=x\u{0}y",
    ])
  func refused(_ line: String) {
    #expect(fault("OK=1\n\(line)\n")?.line == 2)
  }

  @Test(
    "what decides which code runs is not taken from a file, nor a name twice",
    arguments: ["PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "NODE_OPTIONS", "GIT_SSH", "ld_audit"])
  func decisive(_ name: String) {
    #expect(fault("\(name)=x\n")?.reason.contains("decides what a program runs") == true)
    #expect(fault("A=1\nA=2\n")?.line == 2)
  }
}
