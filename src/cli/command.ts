import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { SettingKey } from '../config/schema.ts'
import type { ValidationError } from '../config/validation-errors.ts'
import type { Clock } from '../core/clock.ts'
import type { Engine, Target } from './engine.ts'
import type { CliIo } from './output/io.ts'

/** A command-line option, for the parser and the help. */
export type Option = {
  name: string
  short?: string
  /** Written with one dash, as in another program's command line. */
  oneDash?: true
  /** Name of its argument in the help; flags have none. */
  argument?: string
  repeatable?: boolean
  about: string
  /** The setting it overrides, which also validates its value. */
  setting?: SettingKey
  /** The value a flag gives that setting. */
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
  /** Complete only when there are no validation errors: until then defaults replace invalid values. */
  config: Config
  dataDir: string
  /** The data folder or shared store the command works on. */
  target: Target
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  json: boolean
  quiet: boolean
  /** Whether the output may use colours. */
  colour: boolean
  io: CliIo
  clock: Clock
  engine: Engine
  /** All commands, as the help lists them. */
  loadCommands(): Promise<readonly Command[]>
  createLog(destination: CliIo['stderr']): Promise<Logger>
}

export type Command = {
  name: string
  summary: string
  group: 'Watch' | 'Crawl' | 'Archive' | 'Cluster' | 'Set-up'
  /** The kind of target: a data folder, the shared store (`--store`), or either when left out. */
  works?: 'on a data folder' | 'on a shared store'
  /** For commands on a data folder: how to do the same on a shared store. */
  onSharedStore?: string
  /** The arguments, without the options. */
  usage: string
  options: readonly Option[]
  examples: readonly { line: string; about: string }[]
  /** More for the help, above the examples. */
  details?(options: OptionValues, engine: Engine): Promise<string | undefined>
  /** Explains an option that it doesn't have; undefined for the usual message. */
  explainUnknown?(option: string): string | undefined
  /**
   * Reads the command line and adds every validation error. The returned function does the work and resolves to the
   * exit code; it is called only when nothing added an error.
   */
  prepare(context: CommandContext, errors: ValidationError[]): Promise<() => Promise<number>>
}

/** An option as it is written. */
export function spelling({ name, oneDash }: Pick<Option, 'name' | 'oneDash'>): string {
  return `${oneDash ? '-' : '--'}${name}`
}

export const storeExpected = 'must be the address of a PostgreSQL database: postgres://USER:PASSWORD@HOST/DATABASE'

export function needsStore(command: string): string {
  return `${command} needs the address of the shared store, postgres://… (or ERACE_STORE)`
}

export const exitCodes = { done: 0, failed: 1, wrong: 2, interrupted: 130 } as const

export const commonOptions: readonly Option[] = [
  { name: 'data', argument: 'DIR', about: 'data folder (default: ./erace-data, or ERACE_DATA)' },
  {
    name: 'config',
    argument: 'FILE',
    about: 'configuration file (default: erace.config.ts, .js or .json, if present)',
  },
  { name: 'store', argument: 'URL', about: 'shared store of a cluster, postgres://… (or ERACE_STORE)' },
  { name: 'json', about: 'print the result as one JSON object, with nothing else on standard output' },
  { name: 'quiet', short: 'q', about: 'no progress or log lines, only the result and errors' },
  { name: 'help', short: 'h', about: 'show this help' },
]
