extension String {
  /// The text without the parts that each run makes anew: ids, keys, times and codes.
  var settled: String {
    replacing(#/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/#, with: "ID").replacing(#/[0-9a-f]{8,}/#, with: "ID")
      .replacing(#/(age1|AGE-SECRET-KEY-1)[0-9A-Za-z]+/#, with: "KEY")
      .replacing(#/\d{4}-\d\d-\d\d[T ]?(\d\d:?\d\d:?\d\d)?[.0-9]*Z?/#, with: "TIME")
      .replacing(#/\d{6}\n/#, with: "CODE\n").replacing(#/[0-9.]+ ?(ms|s)\b/#, with: "TIME")
      .replacing(#/"age_seconds" : [0-9]+/#, with: "TIME")
  }

  /// Without the newline at its end.
  var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
