import { isZone, zoneClock } from '../time/zone-offset.ts'

const maxCharacters = 100
const minuteMs = 60_000
const endOfYears = Date.UTC(10_000, 0)

/** Offsets from UTC in minutes: the zones of RFC 822 and RFC 5322, and others that feeds use. */
const zones = new Map(
  Object.entries({
    z: 0,
    ut: 0,
    utc: 0,
    gmt: 0,
    wet: 0,
    bst: 60,
    west: 60,
    cet: 60,
    met: 60,
    mez: 60,
    cest: 120,
    mest: 120,
    mesz: 120,
    eet: 120,
    sast: 120,
    eest: 180,
    msk: 180,
    ist: 330,
    sgt: 480,
    hkt: 480,
    jst: 540,
    kst: 540,
    aest: 600,
    aedt: 660,
    nzst: 720,
    nzdt: 780,
    nst: -210,
    ndt: -150,
    ast: -240,
    adt: -180,
    brt: -180,
    est: -300,
    edt: -240,
    cst: -360,
    cdt: -300,
    mst: -420,
    mdt: -360,
    pst: -480,
    pdt: -420,
    akst: -540,
    akdt: -480,
    hst: -600,
  }),
)

/** American names that are the same in summer and in winter. */
const places = new Map([
  ['et', 'America/New_York'],
  ['ct', 'America/Chicago'],
  ['mt', 'America/Denver'],
  ['pt', 'America/Los_Angeles'],
])

/** By prefixes of their names: English, German, French, Spanish, Italian, Dutch, Portuguese. */
const months: readonly RegExp[] = [
  /^(?:jan|ene|gen)/,
  /^(?:f[eé][bv])/,
  /^(?:mar(?!t?edi)|m[aä]r|mrt|maart)/,
  /^(?:a[pbv]r)/,
  /^(?:ma[iy]|mag|mei)/,
  /^(?:jun|juin|giu)/,
  /^(?:jul|juil|lug)/,
  /^(?:aug|ao[uû]|ago)/,
  /^(?:sep|set)/,
  /^(?:oct|okt|ott|out)/,
  /^(?:nov)/,
  /^(?:d[eéi][cz])/,
]

/** UTC if there is no zone. Null if the date can't be understood. */
export function parseFeedDate(given: string): number | null {
  // ISO 8601 prefers the minus sign of typographers.
  const text = given.trim().replace('\u2212', '-')
  if (text === '' || text.length > maxCharacters) return null
  const at = unixTime(text) ?? isoDate(hyphenated(text).replace(zonedDay, '$1T00:00$2')) ?? wordedDate(text)
  return at !== null && at < endOfYears ? at : null
}

function unixTime(text: string): number | null {
  return /^\d{9,10}$/.test(text) ? Number(text) * 1000 : /^\d{13}$/.test(text) ? Number(text) : null
}

const iso =
  /^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[Tt ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(?:([+-])(\d{2}):?(\d{2})?Z?|[Zz]|([A-Za-z]{2,5}))?)?$/

/** A day with a zone, as XML Schema allows. */
const zonedDay = /^(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:\d\d)$/

const compact = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:[Tt ]?(\d\d):?(\d\d)(?::?(\d\d))?)?(?!\d)/

/** The basic format of ISO 8601, `20201112T170000Z`, in the extended one; a year alone means its first month. */
function hyphenated(text: string): string {
  if (/^(?:19|20)\d\d$/.test(text)) return `${text}-01`
  return text.replace(compact, (_, year, month, day, hour, minute = '00', second = '00') =>
    hour === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day}T${hour}:${minute}:${second}`,
  )
}

function isoDate(text: string): number | null {
  const found = iso.exec(text)
  if (found === null) return null
  const [, year, month, day = '1', hour = '0', minute = '0', second = '0', sign, ahead = '0', more = '0', name] = found
  const at = utc(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second))
  const zone = name === undefined ? 0 : zones.get(name.toLowerCase())
  // Other words are left to `wordedDate`: they may be `PM`.
  if (at === null || zone === undefined) return null
  const offset = sign === undefined ? zone : (sign === '-' ? -1 : 1) * (Number(ahead) * 60 + Number(more))
  return at - offset * minuteMs
}

const clock = /(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:\s*([ap])\.?m\b\.?)?/i
const numericZone = /(?:gmt|utc?)?\s*([+-])(\d{1,2}):?(\d{2})?\b/i

/** Day, month by name or number, and year in any order, with a time and a zone. */
function wordedDate(text: string): number | null {
  const time = clock.exec(text)
  const before = time === null ? text : text.slice(0, time.index)
  const behind = time === null ? text : text.slice(time.index + time[0].length)
  const day = /\d/.test(before) ? before + (time === null ? '' : yearBehind(behind)) : behind
  const date = calendarDay(day)
  if (date === null) return null
  const at = utc(date.year, date.month, date.day, hourOf(time, before), Number(time?.[2] ?? 0), Number(time?.[3] ?? 0))
  return at === null
    ? null
    : at - (time === null ? 0 : offsetOf(behind.replace(/\d{4}[-/.]\d{1,2}[-/.]\d{1,2}/, ''), at))
}

/** `Thu Nov 12 17:00:00 GMT 2020`, as written by some programs. */
const yearBehind = (text: string): string => / (\d{4})\b(?!:)/.exec(text)?.[0] ?? ''

/** In Korean, Chinese and Japanese, in front of the time. */
const morning = /오전|上午|午前/
const afternoon = /오후|下午|午後/

function hourOf(time: RegExpExecArray | null, before: string): number {
  const hour = Number(time?.[1] ?? 0)
  const half = afternoon.test(before) ? 'p' : morning.test(before) ? 'a' : time?.[4]?.toLowerCase()
  return half === undefined ? hour : (hour % 12) + (half === 'p' && hour < 13 ? 12 : 0)
}

function offsetOf(text: string, at: number): number {
  const place = /[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+/.exec(text)?.[0]
  if (place !== undefined && isZone(place)) return zoneClock(place).offsetAt(at)
  const numeric = numericZone.exec(text)
  if (numeric !== null)
    return (numeric[1] === '-' ? -1 : 1) * (Number(numeric[2]) * 60 + Number(numeric[3] ?? 0)) * minuteMs
  for (const word of text.match(/(?<![A-Za-z])[A-Za-z]{1,5}(?![A-Za-z])/g) ?? []) {
    const offset = zones.get(word.toLowerCase())
    if (offset !== undefined) return offset * minuteMs
    // In lower case these are words: `et`.
    const named = word === word.toUpperCase() ? places.get(word.toLowerCase()) : undefined
    if (named !== undefined) return zoneClock(named).offsetAt(at)
  }
  return 0
}

function calendarDay(text: string): { year: number; month: number; day: number } | null {
  const yearFirst = /(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d-])/.exec(text)
  if (yearFirst !== null) return named(yearFirst[1]!, Number(yearFirst[3]), Number(yearFirst[4]))
  const slashed = /(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})\b/.exec(text)
  // American order, unless the first number can't be a month.
  if (slashed !== null) {
    const [first, second] = [Number(slashed[1]), Number(slashed[2])]
    return first > 12 ? named(slashed[3]!, second, first) : named(slashed[3]!, first, second)
  }
  const dotted = /(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})\b/.exec(text)
  if (dotted !== null) return named(dotted[3]!, Number(dotted[2]), Number(dotted[1]))
  const numbers = text.match(/\d+/g) ?? []
  const month =
    text
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.map(monthOf)
      .find((each) => each !== 0) ?? 0
  if (month === 0) {
    const [first, second, third] = numbers
    if (third === undefined || numbers.length !== 3) return null
    return first!.length === 4
      ? named(first!, Number(second), Number(third))
      : named(third, Number(second), Number(first))
  }
  const year = numbers.find((each) => each.length === 4) ?? numbers[1]
  const day = numbers.find((each) => each !== year && each.length <= 2) ?? '1'
  return year === undefined ? null : named(year, month, Number(day))
}

/** The first word may be a weekday: `mar.` is March, or Tuesday in French if another month follows. */
function monthOf(word: string, index: number, words: readonly string[]): number {
  const found = months.findIndex((month) => month.test(word)) + 1
  const isWeekday =
    index === 0 && found > 0 && words.slice(1).some((other) => months.some((month) => month.test(other)))
  return isWeekday ? 0 : found
}

function named(year: string, month: number, day: number): { year: number; month: number; day: number } {
  const number = Number(year)
  return { year: year.length > 2 ? number : number + (number < 70 ? 2000 : 1900), month, day }
}

/** Null if a field is out of range. A day that its month doesn't have counts into the next one. */
function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60) return null
  const at = Date.UTC(year, month - 1, day, hour, minute, second)
  return year < 100 ? null : at
}
