/**
 * How a version is named: `URL`, `URL@3`, `URL@2026-11-01T12:00`, `URL@first`, `URL@last`. URLs may hold an `@` themselves, so a
 * text may be read in two ways; which one holds is known only once the documents are.
 */
export type VersionChoice =
  | { kind: 'number'; n: number }
  | { kind: 'time'; at: number }
  | { kind: 'first' }
  | { kind: 'last' }

export type AddressReading = { url: string; choice: VersionChoice }

export const lastVersion: VersionChoice = { kind: 'last' }

/** The text as a URL alone, and, where its end may name a version, the URL before that. */
export function readAddress(text: string): { whole: AddressReading; split: AddressReading | null } {
  const at = text.lastIndexOf('@')
  const choice = at > 0 ? readChoice(text.slice(at + 1)) : null
  const split = choice === null ? null : { url: text.slice(0, at), choice }
  return { whole: { url: text, choice: lastVersion }, split }
}

export function readChoice(text: string): VersionChoice | null {
  if (text === 'first' || text === 'last') return { kind: text }
  if (/^[1-9]\d{0,8}$/.test(text)) return { kind: 'number', n: Number(text) }
  const at = readTime(text)
  return at === null ? null : { kind: 'time', at }
}

const timeFormat =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?$/i

/** ISO 8601 from the month on. Without a zone it is UTC; missing parts are the first of their kind. Null for anything else. */
export function readTime(text: string): number | null {
  const match = timeFormat.exec(text)
  if (match === null) return null
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const millis = fraction.padEnd(3, '0').slice(0, 3)
  const plain = `${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`
  const at = Date.parse(plain)
  // Dates such as the 31st of February would run over into another month.
  if (Number.isNaN(at) || new Date(at).toISOString() !== plain) return null
  const offset = zoneMinutes(zone)
  return offset === null ? null : at - offset * 60_000
}

function zoneMinutes(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 23 || minutes > 59) return null
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
