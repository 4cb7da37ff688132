import DynamicLibraries
import VaultTerminal

extension SheetPage {
  /// The page as a PDF, drawn by cairo.
  ///
  /// - Throws: `no_library` if cairo is not installed.
  func pdf(_ paper: SheetPaper) throws -> [UInt8] {
    let cairo = try Cairo.loaded()
    let output = PDFBytes()
    let surface = unsafe cairo.surface(
      PDFBytes.append, Unmanaged.passUnretained(output).toOpaque(), paper.width, paper.height)
    guard let surface = unsafe surface, let context = unsafe cairo.create(surface) else { throw Cairo.failed }
    let (size, places) = paper.squares(self)
    unsafe cairo.setFontSize(context, SheetPaper.fontSize)
    for (index, line) in lines.enumerated() where !line.text.isEmpty {
      unsafe cairo.selectFont(context, "monospace", 0, line.isTitle ? 1 : 0)
      unsafe cairo.moveTo(context, SheetPaper.left, paper.base(index))
      unsafe cairo.showText(context, line.text)
    }
    for place in places { unsafe cairo.rectangle(context, place.x, place.y, size, size) }
    unsafe cairo.fill(context)
    unsafe cairo.showPage(context)
    let status = unsafe cairo.status(context)
    unsafe cairo.destroy(context)
    unsafe cairo.finish(surface)
    let surfaceStatus = unsafe cairo.surfaceStatus(surface)
    unsafe cairo.destroySurface(surface)
    guard status == 0, surfaceStatus == 0, !output.bytes.isEmpty else { throw Cairo.failed }
    // The surface calls `append` until it is finished, so the output must exist until here.
    return withExtendedLifetime(output) { output.bytes }
  }
}

/// The bytes of a PDF while cairo writes it.
private final class PDFBytes {
  private(set) var bytes: [UInt8] = []

  /// Appends a piece: the callback of cairo, which has `self` as its first argument.
  static let append: Cairo.Write = { output, piece, count in
    guard let output = unsafe output, let piece = unsafe piece else { return 11 }
    let bytes = unsafe Unmanaged<PDFBytes>.fromOpaque(output).takeUnretainedValue()
    for index in 0..<Int(count) { unsafe bytes.bytes.append(piece[index]) }
    return 0
  }
}

/// The functions of cairo that draw a page, from cairo.h and cairo-pdf.h of version 1.
@safe private struct Cairo {
  typealias Object = UnsafeMutableRawPointer
  typealias Write = @convention(c) (Object?, UnsafePointer<UInt8>?, UInt32) -> Int32
  typealias MakeSurface = @convention(c) (Write, Object?, Double, Double) -> Object?
  typealias Make = @convention(c) (Object) -> Object?
  typealias Use = @convention(c) (Object) -> Void
  typealias Status = @convention(c) (Object) -> Int32
  typealias Number = @convention(c) (Object, Double) -> Void
  typealias Point = @convention(c) (Object, Double, Double) -> Void
  typealias Box = @convention(c) (Object, Double, Double, Double, Double) -> Void
  typealias Text = @convention(c) (Object, UnsafePointer<CChar>) -> Void
  typealias Font = @convention(c) (Object, UnsafePointer<CChar>, Int32, Int32) -> Void

  private static let library = DynamicLibrary(["libcairo.so.2", "libcairo.2.dylib"])

  static let failed = CommandError(
    .failed, "no_library", subject: "sheet", "cairo could not draw the page",
    hints: ["write the sheet as .svg or .txt"])

  let surface: MakeSurface
  let create: Make
  let selectFont: Font
  let setFontSize: Number
  let moveTo: Point
  let showText: Text
  let rectangle: Box
  let fill, showPage, destroy, finish, destroySurface: Use
  let status, surfaceStatus: Status

  static func loaded() throws -> Cairo {
    guard let library else {
      throw CommandError(
        .failed, "no_library", subject: "sheet", "a PDF needs cairo, which is not installed",
        hints: ["install libcairo2, or write the sheet as .svg or .txt; nothing was changed"])
    }
    guard let cairo = Cairo(library) else { throw failed }
    return cairo
  }

  private init?(_ library: DynamicLibrary) {
    guard let surface = unsafe library.function("cairo_pdf_surface_create_for_stream", as: MakeSurface.self),
      let create = unsafe library.function("cairo_create", as: Make.self),
      let selectFont = unsafe library.function("cairo_select_font_face", as: Font.self),
      let setFontSize = unsafe library.function("cairo_set_font_size", as: Number.self),
      let moveTo = unsafe library.function("cairo_move_to", as: Point.self),
      let showText = unsafe library.function("cairo_show_text", as: Text.self),
      let rectangle = unsafe library.function("cairo_rectangle", as: Box.self),
      let fill = unsafe library.function("cairo_fill", as: Use.self),
      let showPage = unsafe library.function("cairo_show_page", as: Use.self),
      let destroy = unsafe library.function("cairo_destroy", as: Use.self),
      let finish = unsafe library.function("cairo_surface_finish", as: Use.self),
      let destroySurface = unsafe library.function("cairo_surface_destroy", as: Use.self),
      let status = unsafe library.function("cairo_status", as: Status.self),
      let surfaceStatus = unsafe library.function("cairo_surface_status", as: Status.self)
    else { return nil }
    unsafe (self.surface, self.create, self.selectFont) = (surface, create, selectFont)
    unsafe (self.setFontSize, self.moveTo, self.showText) = (setFontSize, moveTo, showText)
    unsafe (self.rectangle, self.fill, self.showPage) = (rectangle, fill, showPage)
    unsafe (self.destroy, self.finish, self.destroySurface) = (destroy, finish, destroySurface)
    unsafe (self.status, self.surfaceStatus) = (status, surfaceStatus)
  }
}
