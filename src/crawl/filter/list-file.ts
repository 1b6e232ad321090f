import { AppError } from '../../core/errors.ts'

/** Entry of a file with one entry per line: `#` starts a comment, blank lines and a byte order mark are skipped. */
export type ListEntry = { text: string; line: number }

const maxEntries = 1_000_000
const maxFaultsListed = 50

export function readList(text: string): ListEntry[] {
  const entries: ListEntry[] = []
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const hash = raw.indexOf('#')
    const entry = (hash === -1 ? raw : raw.slice(0, hash)).trim()
    if (entry !== '') entries.push({ text: entry, line: index + 1 })
    if (entries.length > maxEntries) throw new AppError('file-invalid', `a list of more than ${maxEntries} entries`)
  }
  return entries
}

/** Throws `file-invalid` with all faults together; does nothing if there are none. */
export function refuseFaults(what: string, faults: { line: number; fault: string }[]): void {
  if (faults.length === 0) return
  const listed = faults.slice(0, maxFaultsListed).map(({ line, fault }) => `line ${line}: ${fault}`)
  if (faults.length > listed.length) listed.push(`and ${faults.length - listed.length} more`)
  throw new AppError('file-invalid', `${what}:\n${listed.join('\n')}`)
}
