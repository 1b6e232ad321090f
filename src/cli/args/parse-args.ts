import type { Override } from '../../config/load-config.ts'
import { nearMiss } from '../../config/near-miss.ts'
import type { ValidationError } from '../../config/validation-errors.ts'
import { type Command, type Option, type OptionValues, spelling } from '../command.ts'

export type ParsedArgs = {
  options: OptionValues
  positionals: string[]
  overrides: Override[]
  errors: ValidationError[]
}

/**
 * Reads `--name value`, `--name=value`, flags, `-q` and positionals; `--` ends the options. The last
 * value of an option that isn't repeatable wins. Never throws: all errors are collected.
 */
export function parseArgs(
  argv: readonly string[],
  options: readonly Option[],
  explainUnknown?: Command['explainUnknown'],
): ParsedArgs {
  const byName = new Map(options.map((option) => [option.name, option]))
  const given = new Map<string, string[]>()
  const positionals: string[] = []
  const errors: ValidationError[] = []
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!
    if (arg === '--') {
      positionals.push(...argv.slice(i + 1))
      break
    }
    if (!looksLikeOption(arg)) {
      positionals.push(arg)
      continue
    }
    const { name, inline } = split(arg, options)
    const option = byName.get(name)
    if (option === undefined) {
      const place = shortName(arg)
      errors.push({ place, message: explainUnknown?.(place) ?? unknownOption(name, byName) })
    } else if (option.argument === undefined) {
      if (inline !== undefined) errors.push({ place: spelling(option), message: 'takes no value' })
      given.set(name, [])
    } else {
      const value = inline ?? (isValue(argv[i + 1]) ? argv[++i]! : undefined)
      // An empty name, from an unset variable of a script, would be the current folder.
      const isMissing = value === undefined || (value === '' && ['DIR', 'FILE'].includes(option.argument))
      if (isMissing) errors.push({ place: spelling(option), message: `needs a value: ${option.argument}` })
      else given.set(name, option.repeatable ? [...(given.get(name) ?? []), value] : [value])
    }
  }
  return { options: valuesOf(given), positionals, overrides: overridesOf(given, byName), errors }
}

/** The command is the first word that is neither an option nor an option's value. */
export function splitCommand(argv: readonly string[], options: readonly Option[]): { name?: string; rest: string[] } {
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!
    if (arg === '--') break
    if (!looksLikeOption(arg)) return { name: arg, rest: argv.toSpliced(i, 1) }
    const { name, inline } = split(arg, options)
    const takesValue = options.find((option) => option.name === name)?.argument !== undefined
    if (takesValue && inline === undefined && isValue(argv[i + 1])) i++
  }
  return { rest: [...argv] }
}

function looksLikeOption(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-'
}

/** `--depth -5` has an invalid value, `--depth --json` a missing one. */
function isValue(arg: string | undefined): arg is string {
  return arg !== undefined && (!looksLikeOption(arg) || /^-\d/.test(arg))
}

function split(arg: string, options: readonly Option[]): { name: string; inline: string | undefined } {
  const equals = arg.indexOf('=')
  const [word, inline] = equals < 0 ? [arg, undefined] : [arg.slice(0, equals), arg.slice(equals + 1)]
  if (!arg.startsWith('--')) {
    const option = options.find((each) => arg === `-${each.short}` || (each.oneDash && word === spelling(each)))
    return { name: option?.name ?? arg.slice(1), inline: option?.oneDash ? inline : undefined }
  }
  return { name: word.slice(2), inline }
}

function shortName(arg: string): string {
  const name = arg.split('=', 1)[0]!
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

function unknownOption(name: string, known: ReadonlyMap<string, Option>): string {
  const near = known.get(nearMiss(name, known.keys()) ?? '')
  return `unknown option${near === undefined ? '' : `; did you mean ${spelling(near)}?`}`
}

function valuesOf(given: ReadonlyMap<string, string[]>): OptionValues {
  return {
    text: (name) => given.get(name)?.at(-1),
    all: (name) => given.get(name) ?? [],
    flag: (name) => given.has(name),
  }
}

function overridesOf(given: ReadonlyMap<string, string[]>, byName: ReadonlyMap<string, Option>): Override[] {
  const overrides: Override[] = []
  for (const [name, values] of given) {
    const option = byName.get(name)
    if (option?.setting === undefined) continue
    const value = option.argument === undefined ? option.flagValue : option.repeatable ? values : values.at(-1)
    overrides.push({ key: option.setting, value, place: spelling(option) })
  }
  return overrides
}
