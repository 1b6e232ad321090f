import { type SettingKey, settings } from '../../config/schema.ts'
import { type Command, commonOptions, type Option, spelling } from '../command.ts'

/** What may follow: one of some words, the name of a file or a folder, or something that only the user knows. */
export type Expected =
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'file' }
  | { kind: 'folder' }
  | { kind: 'text'; name: string }

export type CompletedOption = {
  /** With its dashes. */
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
  /** The words after the command, in their order; the last may be repeated. */
  words: Expected[]
}

/** The table that the help is made from, as the scripts for shells need it. */
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

/** `import|export FILE` is two words, `SEED… | @FILE` is one or the other. */
function usageWords(usage: string): Expected[] {
  if (usage.includes(' | ')) return [{ kind: 'file' }]
  const plain = usage.replaceAll(/[[\]]/g, '').split(' ')
  return plain.filter((word) => word !== '' && !word.startsWith('-')).map(expected)
}
