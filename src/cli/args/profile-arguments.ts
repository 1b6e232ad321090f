import type { ValidationError } from '../../config/validation-errors.ts'
import type { FileFault, FileProfile, ReadFile } from '../../services/profiles/profile-file.ts'
import type { CommandContext } from '../command.ts'
import { readTextFile } from './text-files.ts'

export const profileActions = ['import', 'export', 'validate', 'preview'] as const

export type ProfileAction = (typeof profileActions)[number]

/** The profiles of a file, or all that is wrong with them; null where the file can't be read, with that fault noted. */
export async function readProfileFile(
  file: string,
  { cwd, config, engine }: Pick<CommandContext, 'cwd' | 'config' | 'engine'>,
  errors: ValidationError[],
): Promise<ReadFile<FileProfile> | null> {
  const text = await readTextFile(file, { cwd, place: file.slice(0, 200), errors })
  if (text === null) return null
  // The engine behind the grammars takes a while to load, which no other command shall wait for.
  const { readProfilesJson, readProfilesXml } = await import('../../services/profiles/profile-file.ts')
  const { profileRules } = await import('../../services/profiles/profile-values.ts')
  const rules = profileRules(config, engine.schemes)
  return isJson(file) ? readProfilesJson(text, rules) : readProfilesXml(text, rules)
}

export function isJson(file: string): boolean {
  return file.toLowerCase().endsWith('.json')
}

/** `FILE:LINE`, or `FILE` where there are no lines. */
export function placeIn(file: string, { line }: Pick<FileFault, 'line'>): string {
  return line === null ? file : `${file}:${line}`
}

/** An account's address; null where none was given, or a wrong one, which is noted. */
export function readOwner(options: CommandContext['options'], errors: ValidationError[]): string | null {
  const owner = options.text('owner')
  if (owner === undefined) return null
  if (/^[^\s@]{1,190}@[^\s@]{1,190}$/.test(owner)) return owner.toLowerCase()
  errors.push({ place: '--owner', message: 'expected an e-mail address' })
  return null
}
