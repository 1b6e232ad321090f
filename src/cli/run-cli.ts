import { resolve } from 'node:path'
import { readConfig } from '../config/load-config.ts'
import { nearMiss } from '../config/near-miss.ts'
import { InvalidInputError, type ValidationError } from '../config/validation-errors.ts'
import { version } from '../config/version.ts'
import { systemClock } from '../core/clock.ts'
import { parseArgs, splitCommand } from './args/parse-args.ts'
import { type Command, commonOptions, exitCodes, needsStore, type OptionValues, storeExpected } from './command.ts'
import { findCommand, loadCommands } from './commands.ts'
import type { Engine } from './engine.ts'
import { errorJson, errorText, exitCodeOf, toAppError } from './output/error-text.ts'
import { commandHelp, generalHelp } from './output/help.ts'
import type { CliIo } from './output/io.ts'

export type CliDeps = {
  /** Without the runtime and the script. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  io: CliIo
  engine: Engine
}

/** Levels that are even quieter than `--quiet`. */
const quieterLevels = ['fatal', 'silent']

/** Runs one command and returns the exit code. Never throws: it prints every failure. */
export async function runCli(deps: CliDeps): Promise<number> {
  const { argv, env, io } = deps
  const { command, name, rest } = await splitLine(argv)
  const where = command === undefined ? 'erace' : `erace ${command.name}`
  try {
    if (command !== undefined) return await runCommand(command, rest, deps)
    return await runWithoutCommand(name, rest, deps)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (rest.includes('--json')) io.stdout.write(errorJson(error))
    else io.stderr.write(errorText(where, error, isDebugging(env)))
    return exitCodeOf(error)
  }
}

type SplitLine = { command: Command | undefined; name?: string; rest: string[] }

async function splitLine(argv: readonly string[]): Promise<SplitLine> {
  const first = await findCommand(argv[0] ?? '')
  if (first !== undefined) return { command: first, name: first.name, rest: argv.slice(1) }
  // To see that the value of an option is not the command, the options of all commands are needed.
  const commands = await loadCommands()
  const split = splitCommand(argv, [...commonOptions, ...commands.flatMap(({ options }) => options)])
  const command = commands.find((candidate) => candidate.name === split.name)
  if (command !== undefined) return { command, ...split }
  const { isLarmOption, command: larm } = await import('./commands/larm.ts')
  if (argv.some(isLarmOption)) return { command: larm, name: larm.name, rest: [...argv] }
  return { command, ...split }
}

/** The configuration itself may be broken, so this reads only the environment. */
function isDebugging(env: CliDeps['env']): boolean {
  return env.ERACE_LOG_LEVEL === 'debug' || env.ERACE_LOG_LEVEL === 'trace'
}

async function runWithoutCommand(
  name: string | undefined,
  rest: readonly string[],
  { io, engine }: Pick<CliDeps, 'io' | 'engine'>,
): Promise<number> {
  const { options, positionals, errors } = parseArgs(rest, [...commonOptions, { name: 'version', about: '' }])
  if (name === undefined && options.flag('version')) io.stdout.write(`${version}\n`)
  else if (name === undefined && errors.length === 0) io.stdout.write(generalHelp(await loadCommands()))
  else if (name === 'help') io.stdout.write(await helpFor(positionals[0], options, engine))
  else throw new InvalidInputError('usage-wrong', name === undefined ? errors : [await unknownCommand(name)])
  return exitCodes.done
}

async function helpFor(name: string | undefined, options: OptionValues, engine: Engine): Promise<string> {
  if (name === undefined) return generalHelp(await loadCommands())
  const command = await findCommand(name)
  if (command === undefined) throw new InvalidInputError('usage-wrong', [await unknownCommand(name)])
  return commandHelp(command, await command.details?.(options, engine))
}

async function unknownCommand(name: string): Promise<ValidationError> {
  const names = (await loadCommands()).map((command) => command.name)
  const near = nearMiss(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return { place: name.slice(0, 60), message: `unknown command${hint} (commands: ${names.join(', ')})` }
}

async function runCommand(command: Command, argv: readonly string[], deps: CliDeps): Promise<number> {
  const { env, cwd, io, engine } = deps
  const { options, positionals, overrides, errors } = parseArgs(
    argv,
    [...command.options, ...commonOptions],
    command.explainUnknown,
  )
  if (options.flag('help')) {
    io.stdout.write(commandHelp(command, await command.details?.(options, engine)))
    return exitCodes.done
  }
  const usageErrors = errors.length
  const read = await readConfig({ file: options.text('config'), cwd, env, overrides })
  errors.push(...read.errors)
  const { config } = read
  const quiet = options.flag('quiet')
  const dataDir = resolve(cwd, options.text('data') ?? (env.ERACE_DATA || 'erace-data'))
  const store = storeOf(command, options.text('store'), env.ERACE_STORE, errors)
  const start = await command.prepare(
    {
      options,
      positionals,
      config,
      env,
      dataDir,
      target: { dataDir, store, config },
      cwd,
      json: options.flag('json'),
      quiet,
      colour: io.stdout.isTTY === true && !env.NO_COLOR,
      io,
      clock: systemClock,
      engine,
      loadCommands,
      createLog: async (destination) =>
        (await import('./output/log.ts')).createLog({
          level: quiet && !quieterLevels.includes(config.log.level) ? 'error' : config.log.level,
          format: config.log.format,
          destination,
          colour: destination.isTTY === true && !env.NO_COLOR,
        }),
    },
    errors,
  )
  if (errors.length > 0) {
    const onlyConfig = usageErrors === 0 && errors.length === read.errors.length
    throw new InvalidInputError(onlyConfig ? 'config-invalid' : 'usage-wrong', errors)
  }
  return start()
}

/** The address of the shared store; null for a data folder. */
function storeOf(
  command: Command,
  given: string | undefined,
  inherited: string | undefined,
  errors: ValidationError[],
): string | null {
  const store = given ?? inherited ?? ''
  const place = given === undefined ? 'ERACE_STORE' : '--store'
  if (store !== '' && !/^postgres(?:ql)?:\/\/./.test(store)) {
    errors.push({ place, message: storeExpected })
    return null
  }
  if (command.works === 'on a shared store' && store === '')
    errors.push({ place: '--store', message: needsStore(command.name) })
  if (command.works === 'on a data folder' && given !== undefined)
    errors.push({
      place,
      message: `${command.name} only works on a data folder; ${command.onSharedStore ?? 'omit --store'}`,
    })
  return store === '' || command.works === 'on a data folder' ? null : store
}
