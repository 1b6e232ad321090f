/** Times are shown in the zone of the user's settings, or in that of the browser when none is set. */
let zone: string | undefined

export function setTimeZone(name: string): void {
  zone = name === '' ? undefined : name
}

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, ...(zone !== undefined && { timeZone: zone }) })
  } catch {
    // A zone that this browser does not know.
    return new Intl.DateTimeFormat('en-GB', options)
  }
}

export function exactTime(iso: string): string {
  return formatOf({ dateStyle: 'full', timeStyle: 'long' }).format(new Date(iso))
}

/** Day and minute, as a row of a table shows it. */
export function shortTime(iso: string): string {
  return formatOf({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))
}

export function dayOf(iso: string, now: number): string {
  const date = new Date(iso)
  const sameYear = date.getFullYear() === new Date(now).getFullYear()
  return formatOf({ day: 'numeric', month: 'short', ...(!sameYear && { year: 'numeric' }) }).format(date)
}
