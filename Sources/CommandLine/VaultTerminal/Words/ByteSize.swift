package enum ByteSize {
  /// `48213 bytes`, and from 10 KiB on `47 KiB`, `1.2 MiB` and so on, in powers of 1024.
  package static func text(_ byteCount: Int) -> String {
    guard byteCount >= 10 << 10 else { return "\(byteCount) bytes" }
    var (tenths, unit) = ((byteCount * 10) >> 10, 0)
    let units = ["KiB", "MiB", "GiB", "TiB"]
    while tenths >= 10240, unit < units.count - 1 { (tenths, unit) = (tenths >> 10, unit + 1) }
    return tenths >= 100 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
