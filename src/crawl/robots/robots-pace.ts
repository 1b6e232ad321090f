/** The wishes about pace and hours that files state beside RFC 9309. What cannot be read is no wish. */

/** Minutes since midnight, UTC. */
export type DayWindow = { startMinute: number; endMinute: number }
export type RequestRate = { requests: number; seconds: number; hours: DayWindow | null }

const unitSeconds: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }

export function readCrawlDelay(value: string): number | null {
  const text = /^(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?![\d.,])/.exec(value)?.[0]
  return text === undefined ? null : Number(text)
}

/** `1/10s`, `100/15m 0600-0845`. */
export function readRequestRate(value: string): RequestRate | null {
  const parts = /^(\d{1,9})\s*\/\s*(\d{1,9})\s*([smhd]?)(?:\s+(.*))?$/i.exec(value.slice(0, 100))
  if (parts === null) return null
  const requests = Number(parts[1])
  const seconds = Number(parts[2]) * unitSeconds[parts[3]!.toLowerCase()]!
  return requests > 0 && seconds > 0 ? { requests, seconds, hours: readDayWindow(parts[4] ?? '') } : null
}

/** `0600-0845`, also with a space between. */
export function readDayWindow(value: string): DayWindow | null {
  const parts = /^(\d\d):?(\d\d)(?:\s*-\s*|\s+)(\d\d):?(\d\d)(?!\d)/.exec(value)
  if (parts === null) return null
  const [startHour, startMinute, endHour, endMinute] = parts.slice(1).map(Number) as [number, number, number, number]
  if (startHour > 24 || endHour > 24 || startMinute > 59 || endMinute > 59) return null
  return { startMinute: startHour * 60 + startMinute, endMinute: endHour * 60 + endMinute }
}
