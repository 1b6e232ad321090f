const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

// The three forms of RFC 9110, 5.6.7. Names of days are not compared: many servers compute them wrongly.
const fixed = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const longDay = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const asctime = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/

/** Milliseconds since 1970, or null for anything but an HTTP date: other zones, other languages, numbers. */
export function parseHttpDate(text: string): number | null {
  const value = text.trim()
  let match = fixed.exec(value)
  if (match !== null) return momentOf(Number(match[3]), match[2]!, match[1]!, match.slice(4))
  match = longDay.exec(value)
  if (match !== null) return momentOf(centuryOf(Number(match[3])), match[2]!, match[1]!, match.slice(4))
  match = asctime.exec(value)
  return match === null ? null : momentOf(Number(match[6]), match[1]!, match[2]!, match.slice(3, 6))
}

function momentOf(year: number, monthName: string, dayText: string, time: string[]): number | null {
  const month = months.indexOf(monthName)
  const day = Number(dayText)
  const [hour, minute, second] = time.map(Number) as [number, number, number]
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return null
  const at = Date.UTC(year, month, day, hour, minute, second)
  // What rolls over into another month was no date.
  return new Date(at).getUTCDate() === day || second === 60 ? at : null
}

/** Two digits are the year of this century, unless that lies more than 50 years ahead (RFC 9110). */
function centuryOf(twoDigits: number): number {
  const thisYear = new Date().getUTCFullYear()
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}
