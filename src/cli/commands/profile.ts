import type { ValidationError } from '../../config/validation-errors.ts'
import type { ImportedProfile } from '../../core/profile.ts'
import { previewLimits } from '../../core/reports/profile-report.ts'
import type { FileFault, FileProfile, ReadFile } from '../../services/profiles/profile-file.ts'
import { checkTarget } from '../args/export-place.ts'
import {
  isJson,
  type ProfileAction,
  placeIn,
  profileActions,
  readOwner,
  readProfileFile,
} from '../args/profile-arguments.ts'
import { wholeNumber } from '../args/whole-number.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { formatCount, printable } from '../output/terminal-text.ts'
import type { ExportedItems } from './profile-export.ts'
import { defaultPreview, previewFile } from './profile-preview.ts'

type Run = () => Promise<number>

export const command: Command = {
  name: 'profile',
  group: 'Watch',
  summary: 'bring profiles in, write them out, check a file of them, or see what they would find',
  usage: 'import|export|validate|preview FILE',
  options: [
    { name: 'owner', argument: 'EMAIL', about: 'import: whose they become; export: only those of this user' },
    { name: 'urds', about: 'export: unified resource descriptions, one for each source, instead of profiles' },
    { name: 'force', about: 'export: replace the file if it is there' },
    { name: 'last', argument: 'N', about: `preview: documents to look at (default: ${defaultPreview.documents})` },
    { name: 'examples', argument: 'K', about: `preview: matches to show (default: ${defaultPreview.examples})` },
  ],
  examples: [
    { line: 'erace profile validate java.xml', about: 'exit code 0: all is well; 2: faults, each with its line' },
    { line: 'erace profile import java.xml --owner me@example.org', about: 'XML, profiles or URDs; or .json' },
    { line: 'erace profile preview java.xml --last 200', about: 'what it would have found; nothing is stored' },
    { line: 'erace profile export profiles.xml', about: 'all of them; .json gives JSON' },
    { line: 'erace profile export - --urds | xmllint --format -', about: 'what is scheduled, to standard output' },
  ],
  async prepare(context, errors) {
    const [word, file, ...rest] = context.positionals
    const action = readAction(word, errors)
    for (const each of rest) errors.push({ place: each.slice(0, 60), message: `profile ${word} takes one file` })
    if (word !== undefined && file === undefined) errors.push({ place: 'FILE', message: 'the file is missing' })
    const owner = readOwner(context.options, errors)
    checkOptions(action, context.options, errors)
    const documents = numberOf(context.options, 'last', defaultPreview.documents, previewLimits.documents, errors)
    const examples = numberOf(context.options, 'examples', defaultPreview.examples, previewLimits.examples, errors)
    if (action === null || file === undefined) return async () => exitCodes.wrong
    if (action === 'export') return prepareExport(context, file, owner, errors)
    const read = await readProfileFile(file, context, errors)
    if (read === null) return async () => exitCodes.wrong
    if (action === 'validate') return async () => tellValidity(context, file, read)
    if (action === 'import') return prepareImport(context, { file, owner }, read, errors)
    if (!isValid(file, read, errors)) return async () => exitCodes.wrong
    return async () => previewFile(context, { file, items: read.items, notes: read.notes, documents, examples })
  },
}

function readAction(word: string | undefined, errors: ValidationError[]): ProfileAction | null {
  const action = profileActions.find((each) => each === word) ?? null
  if (action === null)
    errors.push({
      place: word?.slice(0, 60) ?? 'profile',
      message: `say what to do with it: ${profileActions.join(', ')}`,
    })
  return action
}

function checkOptions(
  action: ProfileAction | null,
  options: CommandContext['options'],
  errors: ValidationError[],
): void {
  if (action === null) return
  for (const name of ['urds', 'force'])
    if (options.flag(name) && action !== 'export') errors.push({ place: `--${name}`, message: 'goes with export only' })
  for (const name of ['last', 'examples'])
    if (options.text(name) !== undefined && action !== 'preview')
      errors.push({ place: `--${name}`, message: 'goes with preview only' })
  if (options.text('owner') !== undefined && (action === 'validate' || action === 'preview'))
    errors.push({ place: '--owner', message: 'goes with import and export only' })
}

function numberOf(
  options: CommandContext['options'],
  name: string,
  otherwise: number,
  max: number,
  errors: ValidationError[],
): number {
  const given = wholeNumber(options, name, 0, errors)
  if (given !== null && given > max) errors.push({ place: `--${name}`, message: `at most ${max}` })
  return given ?? otherwise
}

/** Notes the faults where there are any. */
function isValid(
  file: string,
  read: ReadFile<FileProfile>,
  errors: ValidationError[],
): read is Extract<ReadFile<FileProfile>, { kind: 'read' }> {
  if (read.kind === 'read') return true
  for (const fault of read.faults) errors.push({ place: placeIn(file, fault), message: fault.message })
  return false
}

function tellValidity({ io, json }: CommandContext, file: string, read: ReadFile<FileProfile>): number {
  const valid = read.kind === 'read'
  const faults = valid ? [] : read.faults
  const notes = valid ? read.notes : []
  const profiles = valid ? read.items.length : 0
  if (json) io.stdout.write(`${JSON.stringify({ file, valid, profiles, faults, notes })}\n`)
  else {
    const lines = [...faults.map((fault) => faultLine(file, fault)), ...notes.map((note) => noteLine(file, note))]
    if (valid) lines.push(`${printable(file, 200)}: all is well: ${profilesText(profiles)}`)
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return valid ? exitCodes.done : exitCodes.wrong
}

function prepareImport(
  { target, engine, io, json, quiet }: CommandContext,
  { file, owner }: { file: string; owner: string | null },
  read: ReadFile<FileProfile>,
  errors: ValidationError[],
): Run {
  if (!isValid(file, read, errors)) return async () => exitCodes.wrong
  const profiles: ImportedProfile[] = []
  for (const { id, owner: own, profile, line } of read.items) {
    const whose = owner ?? own
    if (whose === null) errors.push({ place: placeIn(file, { line }), message: 'it has no owner; --owner names one' })
    else profiles.push({ id, owner: whose, profile })
  }
  return async () => {
    const report = await engine.importProfiles(target, profiles)
    if (!quiet && !json) for (const note of read.notes) io.stderr.write(`${noteLine(file, note)}\n`)
    const { created, replaced } = report
    if (json) io.stdout.write(`${JSON.stringify({ file, ...report, notes: read.notes })}\n`)
    else
      io.stdout.write(
        `${printable(file, 200)}: ${profilesText(profiles.length)}: ${formatCount(created)} new, ${formatCount(replaced)} replaced\n`,
      )
    return exitCodes.done
  }
}

function prepareExport(context: CommandContext, given: string, owner: string | null, errors: ValidationError[]): Run {
  const { cwd, dataDir, target, engine, io, json, options, quiet } = context
  const kind = options.flag('urds') ? 'urds' : 'profiles'
  const toStdout = given === '-'
  const form = isJson(given) ? 'json' : 'xml'
  if (kind === 'urds' && form === 'json') errors.push({ place: '--urds', message: 'are written as XML only' })
  if (toStdout && json)
    errors.push({ place: '--json', message: 'standard output can not hold export and result: name a file' })
  const file = toStdout ? null : checkTarget('FILE', given, { cwd, dataDir, force: options.flag('force'), errors })
  return async () => {
    const { writeProfileFile } = await import('./profile-export.ts')
    const items: ExportedItems =
      kind === 'urds'
        ? { kind, form: 'xml', items: await engine.exportUrds(target, owner) }
        : { kind, form, items: await engine.exportProfiles(target, owner) }
    const report = await writeProfileFile(file, items, (text) => io.stdout.write(text))
    const text = `${formatCount(report.count)} ${kind}\n`
    if (json) io.stdout.write(`${JSON.stringify({ file: given, kind, ...report })}\n`)
    else if (!toStdout) io.stdout.write(`${printable(given, 200)}: ${text}`)
    else if (!quiet) io.stderr.write(text)
    return exitCodes.done
  }
}

function faultLine(file: string, fault: FileFault): string {
  return `${printable(placeIn(file, fault), 200)}: ${printable(fault.message, 500)}`
}

function noteLine(file: string, note: FileFault): string {
  return `${printable(placeIn(file, note), 200)}: note: ${printable(note.message, 500)}`
}

function profilesText(count: number): string {
  return count === 1 ? '1 profile' : `${formatCount(count)} profiles`
}
