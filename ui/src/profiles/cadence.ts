/** How often a profile notifies, split into form fields. */
export type CadenceParts = {
  /** Values the form doesn't offer, such as `every 2h`, are shown as they are. */
  kind: string
  time: string
  day: string
}

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const USUAL_TIME = '08:00'

export function cadenceParts(cadence: string): CadenceParts {
  const [kind = '', ...rest] = cadence.trim().toLowerCase().split(/\s+/)
  const time = rest.find((word) => /^\d{1,2}:\d\d$/.test(word))?.padStart(5, '0') ?? USUAL_TIME
  const day = days.find((each) => rest[0]?.startsWith(each)) ?? days[0]
  return { kind: kind === 'every' ? `every ${rest.join('')}` : kind, time, day }
}

export function cadenceText({ kind, time, day }: CadenceParts): string {
  if (kind === 'daily') return `daily ${time}`
  return kind === 'weekly' ? `weekly ${day} ${time}` : kind
}
