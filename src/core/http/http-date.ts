const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

// The three forms of RFC 9110, 5.6.7. Day names are not checked: many servers compute them wrongly.
const fixed = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const longDay = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}:\d{2}:\d{2}) GMT$/
const asctime = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2}) (\d{4})$/

const zero = 0x30

/** Milliseconds since 1970; null for anything but an HTTP date, such as other zones, other languages, numbers. */
export function parseHttpDate(text: string): number | null {
  const value = text.trim()
  // Nearly all dates, and one with every response: read the digits in place.
  if (fixed.test(value)) {
    const year = 100 * numberAt(value, 12) + numberAt(value, 14)
    return momentOf(year, value.slice(8, 11), numberAt(value, 5), value, 17)
  }
  let match = longDay.exec(value)
  if (match !== null) return momentOf(centuryOf(Number(match[3])), match[2]!, Number(match[1]), match[4]!, 0)
  match = asctime.exec(value)
  return match === null ? null : momentOf(Number(match[4]), match[1]!, Number(match[2]), match[3]!, 0)
}

/** The time, hh:mm:ss, is in `text` from `at` on. */
function momentOf(year: number, monthName: string, day: number, text: string, at: number): number | null {
  const month = months.indexOf(monthName)
  const hour = numberAt(text, at)
  const minute = numberAt(text, at + 3)
  const second = numberAt(text, at + 6)
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return null
  const moment = Date.UTC(year, month, day, hour, minute, second)
  // A date that rolls over into another month is invalid; days up to 28 can't.
  const isSure = (day > 0 && day <= 28) || second === 60
  return isSure || new Date(moment).getUTCDate() === day ? moment : null
}

/** Reads two digits. */
function numberAt(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - zero) + text.charCodeAt(at + 1) - zero
}

/** A two-digit year is in this century, unless that is more than 50 years ahead (RFC 9110). */
function centuryOf(twoDigits: number): number {
  const thisYear = new Date().getUTCFullYear()
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}
