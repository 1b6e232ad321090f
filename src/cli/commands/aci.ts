import { readTextFile } from '../../config/crawl-lists.ts'
import type { ValidationError } from '../../config/validation-errors.ts'
import type { AciImportReport } from '../../core/reports/aci-report.ts'
import type { FileAci } from '../../services/inbox/aci-import.ts'
import type { Aci } from '../../xml/aci/aci.ts'
import type { XmlError } from '../../xml/xml-tokens.ts'
import { emailAddress, readOwner, refuseWords } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { formatCount, printable } from '../output/terminal-text.ts'

type Read = { kind: 'read'; items: FileAci[] } | { kind: 'invalid'; errors: XmlError[] }

export const command: Command = {
  name: 'aci',
  group: 'Watch',
  summary: 'import or validate annotations (ACI) in XML',
  usage: 'import|validate FILE',
  options: [
    { name: 'owner', argument: 'EMAIL', about: 'import: the new owner' },
    { name: 'unread', about: 'import: annotations arrive as unread' },
  ],
  examples: [
    { line: 'erace aci validate mine.xml', about: 'exit code 0: valid; 2: errors, each with its line' },
    {
      line: 'erace aci import mine.xml --owner me@example.org',
      about: 'what erace export aci wrote elsewhere; importing it again adds nothing',
    },
  ],
  async prepare(context, errors) {
    const { positionals, options } = context
    const [action, file, ...rest] = positionals
    if (action !== 'import' && action !== 'validate')
      errors.push({ place: action?.slice(0, 60) ?? 'aci', message: 'choose an action: import, validate' })
    refuseWords(rest, 'aci takes one file', errors)
    const owner = readOwner(options, errors)
    if (action === 'validate' && (options.text('owner') !== undefined || options.flag('unread')))
      errors.push({ place: 'validate', message: 'takes no options' })
    if (file === undefined) {
      if (action !== undefined) errors.push({ place: 'FILE', message: 'the file name is missing' })
      return async () => exitCodes.wrong
    }
    const read = await readFile(file, context, errors)
    if (read === null || errors.length > 0) return async () => exitCodes.wrong
    if (action === 'validate') return async () => reportValidity(context, file, read)
    const acis = ownedAcis(file, read, owner, errors)
    return async () => {
      const report = await context.engine.importAcis(context.target, acis, { unread: options.flag('unread') })
      printReport(context, file, report)
      return exitCodes.done
    }
  },
}

async function readFile(
  file: string,
  { cwd }: Pick<CommandContext, 'cwd'>,
  errors: ValidationError[],
): Promise<Read | null> {
  const text = await readTextFile(file, { cwd, place: file.slice(0, 200), errors })
  if (text === null) return null
  // Loaded here, because the XML engine takes a while to load and other commands don't need it.
  const { readAciFile } = await import('../../services/inbox/aci-import.ts')
  return readAciFile(text)
}

/** The annotations with their owners; adds the errors of an invalid file. */
function ownedAcis(file: string, read: Read, owner: string | null, errors: ValidationError[]): Aci[] {
  if (read.kind === 'invalid') {
    for (const { line, message } of read.errors) errors.push({ place: `${file}:${line}`, message })
    return []
  }
  return read.items.map(({ aci, line }) => {
    const place = `${file}:${line}: owner ${JSON.stringify(aci.owner.slice(0, 60))}`
    return { ...aci, owner: owner ?? emailAddress(aci.owner, `${place} (name one with --owner)`, errors) ?? '' }
  })
}

function reportValidity({ io, json }: CommandContext, file: string, read: Read): number {
  const valid = read.kind === 'read'
  const faults = valid ? [] : read.errors
  const annotations = valid ? read.items.length : 0
  const lines = faults.map(({ line, message }) => `${printable(`${file}:${line}`, 200)}: ${printable(message, 500)}`)
  if (valid) lines.push(`${printable(file, 200)}: valid, ${countText(annotations)}`)
  io.stdout.write(json ? `${JSON.stringify({ file, valid, annotations, faults })}\n` : `${lines.join('\n')}\n`)
  return valid ? exitCodes.done : exitCodes.wrong
}

function printReport({ io, json }: CommandContext, file: string, report: AciImportReport): void {
  const { added, known, notArchived } = report
  if (json) io.stdout.write(`${JSON.stringify({ file, ...report })}\n`)
  else {
    const what = `${countText(added + known)}: ${formatCount(added)} new, ${formatCount(known)} already here`
    const away = notArchived === 0 ? '' : `; ${formatCount(notArchived)} about versions that are not in this archive`
    io.stdout.write(`${printable(file, 200)}: ${what}${away}\n`)
  }
}

function countText(count: number): string {
  return count === 1 ? '1 annotation' : `${formatCount(count)} annotations`
}
