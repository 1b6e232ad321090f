import { type SettingKey, settings } from '../../config/schema.ts'
import { type Command, commonOptions, type Option, spelling } from '../command.ts'

/** What may follow: one of several words, a file or folder name, or free text. */
export type Expected =
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'file' }
  | { kind: 'folder' }
  | { kind: 'text'; name: string }

export type CompletedOption = {
  /** Including its dashes. */
  word: string
  short: string | null
  about: string
  /** Null for a flag. */
  value: Expected | null
}

export type CompletedCommand = {
  name: string
  about: string
  options: CompletedOption[]
  /** The words after the command, in order; the last may be repeated. */
  words: Expected[]
}

/** The table of commands that the help uses, in the form that the shell scripts need. */
export function completedCommands(commands: readonly Command[]): CompletedCommand[] {
  return commands.map(({ name, summary, options, usage }) => ({
    ...{ name, about: summary, words: usageWords(usage) },
    options: [...options, ...commonOptions].map(completedOption),
  }))
}

function completedOption(option: Option): CompletedOption {
  const { short, about, argument } = option
  const value = argument === undefined ? null : expectedValue(argument, option.setting)
  return { word: spelling(option), short: short === undefined ? null : `-${short}`, about, value }
}

function expectedValue(argument: string, key: SettingKey | undefined): Expected {
  const setting = key === undefined ? null : settings[key]
  if (setting?.kind === 'choice') return { kind: 'choice', choices: setting.choices }
  return expected(argument)
}

function expected(word: string): Expected {
  if (/^[a-z-]+(?:\|[a-z-]+)+$/.test(word)) return { kind: 'choice', choices: word.split('|') }
  if (word === 'FILE' || word === '@FILE') return { kind: 'file' }
  return word === 'DIR' ? { kind: 'folder' } : { kind: 'text', name: word }
}

/** `import|export FILE` is two words, `SEED… | @FILE` is either of the two. */
function usageWords(usage: string): Expected[] {
  if (usage.includes(' | ')) return [{ kind: 'file' }]
  const plain = usage.replaceAll(/[[\]]/g, '').split(' ')
  return plain.filter((word) => word !== '' && !word.startsWith('-')).map(expected)
}
