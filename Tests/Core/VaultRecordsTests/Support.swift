import VaultDocument
import VaultRecords

/// The object of a JSON text; an empty one for anything else.
func object(_ text: String) -> JSONObject { (try? JSONParser.parse([UInt8](text.utf8)))?.object ?? JSONObject() }

/// A kind declared by a schema with these properties.
func kind(properties: String, _ more: String = "") throws(RecordError) -> RecordKind {
  try RecordKind(declared: object(#"{"type":"object","properties":{\#(properties)}\#(more)}"#), name: "test")
}
