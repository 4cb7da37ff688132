extension ImportFormats {
  static let csv: [any Importer] = [
    CSVImporter.bitwarden, CSVImporter.chrome, CSVImporter.dashlane, CSVImporter.dashlaneIDs,
    CSVImporter.dashlaneNetworks, CSVImporter.dashlaneNotes, CSVImporter.dashlanePayments, CSVImporter.dashlanePersons,
    CSVImporter.dropbox, CSVImporter.firefox, CSVImporter.keepass, CSVImporter.keepassxc, CSVImporter.lastpass,
    CSVImporter.myki, CSVImporter.mykiCodes, CSVImporter.mykiNotes, CSVImporter.nordpass, CSVImporter.onePassword8,
    CSVImporter.onePasswordMac, CSVImporter.onePasswordWindows, CSVImporter.protonPass, CSVImporter.roboform,
    CSVImporter.safari, CSVImporter.safeInCloud, CSVImporter.strongbox, CSVImporter.zoho, CSVImporter.zohoPasswords,
    ButtercupImporter(), DashlaneLegacyImporter(), DashlaneArchiveImporter(),
    EnpassImporter(), KeeperImporter(), PlainCSVImporter(),
  ]
}
