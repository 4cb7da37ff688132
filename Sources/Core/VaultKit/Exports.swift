// The header, keys, checkpoint and errors of a vault come with the open vault.
@_exported public import VaultTrust
