/// Days of the proleptic Gregorian calendar, computed with integers only.
///
/// A 400-year era has 146,097 days. Counting years from March puts the leap day at the end of a year, so that the day
/// of the year follows from the month by one linear formula.
package struct CivilDate: Equatable {
  package var year: Int
  package var month: Int
  package var day: Int

  private static let daysPerEra = 146_097
  /// From 0000-03-01 to 1970-01-01.
  private static let daysBeforeEpoch = 719_468

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date this many days after 1970-01-01; years before 0 are not supported.
  package init(daysSinceEpoch days: Int) {
    let shifted = days + Self.daysBeforeEpoch
    let era = shifted / Self.daysPerEra
    let dayOfEra = shifted % Self.daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01. A day outside the month counts on from it: the 31st of a month of 30 days is the next 1st.
  package var daysSinceEpoch: Int {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = yearFromMarch / 400
    let yearOfEra = yearFromMarch % 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysPerEra + dayOfEra - Self.daysBeforeEpoch
  }

  /// Whether the calendar has this date, in the years 1 to 9999.
  package var isReal: Bool {
    (1...9999).contains(year) && (1...12).contains(month) && (1...Self.dayCount(of: month, in: year)).contains(day)
  }

  private static func dayCount(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
