import { readTextFile } from '../../config/crawl-lists.ts'
import type { ValidationError } from '../../config/validation-errors.ts'
import { isChannelId } from '../../core/delivery/channel-id.ts'
import type { ImportedProfile } from '../../core/profile.ts'
import { previewLimits } from '../../core/reports/profile-report.ts'
import { EXPECTED_EMAIL, emailOf } from '../../services/accounts/account-text.ts'
import type { FileError, FileProfile, ReadFile } from '../../services/profiles/profile-file.ts'
import { checkCompression, checkTarget, stdoutConflict } from '../args/files.ts'
import { readOwner, wholeNumber } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { formatCount, printable } from '../output/terminal-text.ts'
import type { ExportedItems } from './profile-export.ts'
import { defaultPreview, previewFile } from './profile-preview.ts'

type Run = () => Promise<number>

const actions = ['import', 'export', 'validate', 'preview'] as const
type Action = (typeof actions)[number]

export const command: Command = {
  name: 'profile',
  group: 'Watch',
  summary: 'import, export, validate or preview profiles',
  usage: 'import|export|validate|preview FILE',
  options: [
    { name: 'owner', argument: 'EMAIL', about: 'import: the new owner; export: only profiles of this user' },
    { name: 'urds', about: 'export: one unified resource description per source instead of profiles' },
    { name: 'force', about: 'export: replace an existing file' },
    {
      name: 'last',
      argument: 'N',
      about: `preview: number of documents to check (default: ${defaultPreview.documents})`,
    },
    {
      name: 'examples',
      argument: 'K',
      about: `preview: number of matches to show (default: ${defaultPreview.examples})`,
    },
  ],
  examples: [
    { line: 'erace profile validate java.xml', about: 'exit code 0: valid; 2: errors, each with its line' },
    { line: 'erace profile import java.xml --owner me@example.org', about: 'an XML file of profiles or URDs, or JSON' },
    { line: 'erace profile preview java.xml --last 200', about: 'what it would have matched; stores nothing' },
    { line: 'erace profile export profiles.xml', about: 'all profiles; a .json file gets JSON' },
    { line: 'erace profile export - --urds | xmllint --format -', about: 'the scheduled sources, to standard output' },
  ],
  async prepare(context, errors) {
    const [word, file, ...rest] = context.positionals
    const action = readAction(word, errors)
    for (const each of rest) errors.push({ place: each.slice(0, 60), message: `profile ${word} takes one file` })
    if (word !== undefined && file === undefined) errors.push({ place: 'FILE', message: 'the file name is missing' })
    const owner = readOwner(context.options, errors)
    checkOptions(action, context.options, errors)
    const documents =
      wholeNumber(context.options, 'last', [0, previewLimits.documents], errors) ?? defaultPreview.documents
    const examples =
      wholeNumber(context.options, 'examples', [0, previewLimits.examples], errors) ?? defaultPreview.examples
    if (action === null || file === undefined) return async () => exitCodes.wrong
    if (action === 'export') return prepareExport(context, file, owner, errors)
    const read = await readProfileFile(file, context, errors)
    if (read === null) return async () => exitCodes.wrong
    if (action === 'validate') return async () => reportValidity(context, file, read)
    if (action === 'import') return prepareImport(context, { file, owner }, read, errors)
    if (!isValid(file, read, errors)) return async () => exitCodes.wrong
    return async () => previewFile(context, { file, items: read.items, notes: read.notes, documents, examples })
  },
}

function readAction(word: string | undefined, errors: ValidationError[]): Action | null {
  const action = actions.find((each) => each === word) ?? null
  if (action === null)
    errors.push({
      place: word?.slice(0, 60) ?? 'profile',
      message: `choose an action: ${actions.join(', ')}`,
    })
  return action
}

function checkOptions(action: Action | null, options: CommandContext['options'], errors: ValidationError[]): void {
  if (action === null) return
  for (const name of ['urds', 'force'])
    if (options.flag(name) && action !== 'export')
      errors.push({ place: `--${name}`, message: 'only valid with export' })
  for (const name of ['last', 'examples'])
    if (options.text(name) !== undefined && action !== 'preview')
      errors.push({ place: `--${name}`, message: 'only valid with preview' })
  if (options.text('owner') !== undefined && (action === 'validate' || action === 'preview'))
    errors.push({ place: '--owner', message: 'only valid with import and export' })
}

/** Adds the errors of an invalid file. */
function isValid(
  file: string,
  read: ReadFile<FileProfile>,
  errors: ValidationError[],
): read is Extract<ReadFile<FileProfile>, { kind: 'read' }> {
  if (read.kind === 'read') return true
  for (const error of read.errors) errors.push({ place: positionIn(file, error), message: error.message })
  return false
}

function reportValidity({ io, json }: CommandContext, file: string, read: ReadFile<FileProfile>): number {
  const valid = read.kind === 'read'
  const faults = valid ? [] : read.errors
  const notes = valid ? read.notes : []
  const profiles = valid ? read.items.length : 0
  if (json) io.stdout.write(`${JSON.stringify({ file, valid, profiles, faults, notes })}\n`)
  else {
    const lines = [...faults.map((error) => errorLine(file, error)), ...notes.map((note) => noteLine(file, note))]
    if (valid) lines.push(`${printable(file, 200)}: valid, ${profilesText(profiles)}`)
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
    const whose = owner ?? (own === null ? null : emailOf(own))
    if (whose !== null) profiles.push({ id, owner: whose, profile })
    else {
      const message =
        own === null ? 'has no owner; name one with --owner' : `owner: ${EXPECTED_EMAIL}; name one with --owner`
      errors.push({ place: positionIn(file, { line }), message })
    }
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
  if (kind === 'urds' && form === 'json') errors.push({ place: '--urds', message: 'only available as XML' })
  if (toStdout && json) errors.push({ place: '--json', message: stdoutConflict })
  checkCompression('FILE', given, { known: [], errors })
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

function errorLine(file: string, error: FileError): string {
  return `${printable(positionIn(file, error), 200)}: ${printable(error.message, 500)}`
}

function noteLine(file: string, note: FileError): string {
  return `${printable(positionIn(file, note), 200)}: note: ${printable(note.message, 500)}`
}

function profilesText(count: number): string {
  return count === 1 ? '1 profile' : `${formatCount(count)} profiles`
}

/** The profiles of a file, or all its errors; null, with an error added, when the file can't be read. */
async function readProfileFile(
  file: string,
  { cwd, config, engine }: Pick<CommandContext, 'cwd' | 'config' | 'engine'>,
  errors: ValidationError[],
): Promise<ReadFile<FileProfile> | null> {
  const text = await readTextFile(file, { cwd, place: file.slice(0, 200), errors })
  if (text === null) return null
  // Loaded here, because the XML engine takes a while to load and other commands don't need it.
  const { readProfilesJson, readProfilesXml } = await import('../../services/profiles/profile-file.ts')
  const { profileRules } = await import('../../services/profiles/values/profile-values.ts')
  // Whether the owner has such a channel or credentials is checked on import.
  const checkChannel = (id: string) =>
    id === 'inbox' || isChannelId(id)
      ? null
      : `unknown channel ${JSON.stringify(id)}; expected inbox, or the id of a channel`
  const rules = { ...profileRules(config, await engine.abilities(config)), checkChannel, checkCredentials: () => null }
  return isJson(file) ? readProfilesJson(text, rules) : readProfilesXml(text, rules)
}

function isJson(file: string): boolean {
  return file.toLowerCase().endsWith('.json')
}

/** `FILE:LINE`, or `FILE` without line numbers. */
function positionIn(file: string, { line }: Pick<FileError, 'line'>): string {
  return line === null ? file : `${file}:${line}`
}
