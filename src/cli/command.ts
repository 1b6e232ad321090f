import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { SettingKey } from '../config/schema.ts'
import type { ValidationError } from '../config/validation-errors.ts'
import type { Clock } from '../core/clock.ts'
import type { Engine, Target } from './engine.ts'
import type { CliIo } from './output/io.ts'

/** An option of the command line, as parser and help see it. */
export type Option = {
  name: string
  short?: string
  /** Name of its argument in the help; a flag has none. */
  argument?: string
  repeatable?: boolean
  about: string
  /** The setting that it overrides; its value is checked as that setting. */
  setting?: SettingKey
  /** What a flag sets the setting to. */
  flagValue?: boolean
}

export type OptionValues = {
  text(name: string): string | undefined
  all(name: string): readonly string[]
  flag(name: string): boolean
}

export type CommandContext = {
  options: OptionValues
  positionals: readonly string[]
  /** To be used once no faults were found: until then wrong values are replaced by defaults. */
  config: Config
  dataDir: string
  /** What the engine is asked about. */
  target: Target
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  json: boolean
  quiet: boolean
  /** Whether the result may be coloured. */
  colour: boolean
  io: CliIo
  clock: Clock
  engine: Engine
  createLog(destination: CliIo['stderr']): Logger
}

export type Command = {
  name: string
  summary: string
  group: 'Watch' | 'Crawl' | 'Archive' | 'Cluster'
  /** What it works on: a data folder, the shared store (`--store`), or (left out) whichever is given. */
  works?: 'on a data folder' | 'on a shared store'
  /** What does the same for a shared store, where the command works on a data folder. */
  onSharedStore?: string
  /** What follows the command's name, without the options. */
  usage: string
  options: readonly Option[]
  examples: readonly { line: string; about: string }[]
  /**
   * Reads all that was given and notes every fault. Only when no part of the program noted one is the returned
   * function called; it does the work and resolves to the exit code.
   */
  prepare(context: CommandContext, errors: ValidationError[]): Promise<() => Promise<number>>
}

export const exitCodes = { done: 0, failed: 1, wrong: 2, interrupted: 130 } as const

export const commonOptions: readonly Option[] = [
  { name: 'data', argument: 'DIR', about: 'data folder (default: ./erace-data, or ERACE_DATA)' },
  { name: 'config', argument: 'FILE', about: 'configuration (default: erace.config.ts, .js or .json if there is one)' },
  { name: 'store', argument: 'URL', about: 'shared store of a cluster, postgres://… (or ERACE_STORE)' },
  { name: 'json', about: 'print the result as one JSON object, and nothing else on standard output' },
  { name: 'quiet', short: 'q', about: 'no progress and no log lines, only the result and errors' },
  { name: 'help', short: 'h', about: 'show this help' },
]
