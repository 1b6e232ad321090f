import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Config, fieldName } from './config.ts'
import { nearMiss } from './near-miss.ts'
import { partPath } from './part-path.ts'
import { show } from './retention.ts'
import { environmentName, type SettingKey, settingKeys, settings } from './schema.ts'
import { parseSetting, type Setting } from './setting.ts'
import { InvalidInputError, type ValidationError } from './validation-errors.ts'

/** A setting given on the command line; `place` is its option. */
export type Override = { key: SettingKey; value: unknown; place: string }

export type ConfigSources = {
  /** Must exist. Without it, `erace.config.ts|js|json` in `cwd` is used if it exists. */
  file?: string | undefined
  cwd?: string | undefined
  /** Used instead of a file: the object that it would export. */
  values?: object | undefined
  env: Readonly<Record<string, string | undefined>>
  overrides?: readonly Override[] | undefined
}

/** Variables with our prefix that are not settings. */
const reservedNames = [
  'ERACE_DATA',
  'ERACE_STORE',
  'ERACE_ADMIN_EMAIL',
  'ERACE_ADMIN_PASSWORD',
  'ERACE_PASSWORD',
  'ERACE_TOKEN',
  'ERACE_SECRET',
  'ERACE_CONFORMANCE',
  'ERACE_LAUNCHED',
]
const reservedPrefix = 'ERACE_TEST_'
const listKinds: readonly string[] = ['list', 'cidrs', 'nameservers', 'parts']

type Given = { key: SettingKey; value: unknown; place: string /** Base of its relative file names. */; folder?: string }

/**
 * Defaults, then the file, then the environment, then the command line: later ones win. Reports all errors of all sources,
 * even of values that a later source replaces. Invalid values become defaults: good enough to look for further errors, not
 * to work with.
 */
export async function readConfig(sources: ConfigSources): Promise<{ config: Config; errors: ValidationError[] }> {
  const errors: ValidationError[] = []
  const given = [
    ...(await valuesOfFile(sources, errors)),
    ...valuesOfEnvironment(sources.env, errors),
    ...(sources.overrides ?? []),
  ]
  return { config: resolveValues(given, errors, sources.cwd), errors }
}

export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { config, errors } = await readConfig(sources)
  if (errors.length > 0) throw new InvalidInputError('config-invalid', errors)
  return config
}

/** The defaults with the given values, for use without a command line. */
export function configOf(values: Partial<Record<SettingKey, unknown>> = {}): Config {
  const errors: ValidationError[] = []
  const given = Object.entries(values).map(([key, value]) => ({ key: key as SettingKey, value, place: key }))
  const config = resolveValues(given, errors)
  if (errors.length > 0) throw new InvalidInputError('config-invalid', errors)
  return config
}

async function valuesOfFile(sources: ConfigSources, errors: ValidationError[]): Promise<Given[]> {
  const { file, cwd = '.', values } = sources
  if (values !== undefined) return valuesOf(values, 'config', cwd, errors)
  const found = await findConfigFile(file, cwd, errors)
  if (found === undefined) return []
  const content = await readConfigFile(found, errors)
  return content === undefined ? [] : valuesOf(content, found.name, dirname(found.path), errors)
}

function valuesOf(content: object, source: string, folder: string, errors: ValidationError[]): Given[] {
  const given = new Map<SettingKey, Given>()
  for (const [path, value] of flatten(content, '')) {
    const place = `${source}, ${path.slice(0, 100)}`
    if (isSection(path)) errors.push({ place, message: 'expected an object with the settings of this section' })
    else if (!isKey(path)) errors.push({ place, message: unknown('key', path, [...settingKeys, ...sections]) })
    else if (given.has(path)) errors.push({ place, message: 'is set twice' })
    else given.set(path, { key: path, value, place, folder })
  }
  return [...given.values()]
}

/** Descends only into known sections, so a file cannot make it recurse deeply. */
function* flatten(value: object, prefix: string): Generator<[string, unknown]> {
  for (const [name, inner] of Object.entries(value)) {
    const path = prefix + name
    if (isSection(path) && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      yield* flatten(inner, `${path}.`)
    } else yield [path, inner]
  }
}

function valuesOfEnvironment(env: ConfigSources['env'], errors: ValidationError[]): Given[] {
  const keys = new Map(settingKeys.map((key) => [environmentName(key), key]))
  const given: Given[] = []
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('ERACE_') || value === undefined) continue
    if (reservedNames.includes(name) || name.startsWith(reservedPrefix)) continue
    const key = keys.get(name)
    if (key === undefined) {
      errors.push({ place: name, message: unknown('variable', name, [...keys.keys(), ...reservedNames]) })
      continue
    }
    // An empty variable means an empty list; for other settings, which cannot be empty, it means not set.
    if (value !== '' || listKinds.includes(settings[key].kind)) given.push({ key, value, place: name })
  }
  return given
}

function resolveValues(given: readonly Given[], errors: ValidationError[], cwd = '.'): Config {
  const values = new Map<SettingKey, unknown>()
  for (const key of settingKeys) {
    const parsed = parseSetting(settings[key], settings[key].default)
    if (parsed.kind === 'value') values.set(key, parsed.value)
  }
  for (const { key, value, place, folder = cwd } of given) {
    if (!isKey(key)) {
      errors.push({ place, message: unknown('key', key, settingKeys) })
      continue
    }
    const setting: Setting = settings[key]
    const parsed = parseSetting(setting, value)
    if (parsed.kind === 'value') values.set(key, withFullPaths(setting, parsed.value, { folder, place, errors }))
    else if (parsed.kind === 'parts-wrong') {
      errors.push(...parsed.errors.map(({ at, message }) => ({ place: place + at, message })))
    } else errors.push({ place, message: `expected ${parsed.expected}${setting.secret ? '' : `, not ${show(value)}`}` })
  }
  for (const [low, high] of ordered) {
    if ((values.get(low) as number) > (values.get(high) as number)) {
      errors.push({ place: low, message: `must not exceed ${high}` })
    }
  }
  return assemble(values)
}

/** Makes file names absolute, so that they don't depend on the working directory when they are read. */
function withFullPaths(
  setting: Setting,
  value: unknown,
  { folder, place, errors }: { folder: string; place: string; errors: ValidationError[] },
): unknown {
  function partFile(name: string): string {
    if (!name.startsWith('./')) return name
    const found = partPath(name, folder)
    if (found.kind === 'path') return found.path
    errors.push({ place, message: found.message })
    return name
  }
  if (setting.kind === 'part') return partFile(value as string)
  if (setting.kind === 'parts') return (value as string[]).map(partFile)
  if (setting.kind !== 'list' || setting.files === undefined) return value
  return (value as string[]).map((item) => (item.startsWith('@') ? `@${resolve(folder, item.slice(1))}` : item))
}

/** Pairs where the first must not exceed the second. */
const ordered: readonly [SettingKey, SettingKey][] = [
  ['dns.minTtl', 'dns.maxTtl'],
  ['crawl.hostRest', 'crawl.hostRestMax'],
]

function assemble(values: ReadonlyMap<SettingKey, unknown>): Config {
  const sections = new Map<string, Record<string, unknown>>()
  const config: Record<string, unknown> = {}
  for (const [key, value] of values) {
    const frozen = typeof value === 'object' ? Object.freeze(value) : value
    const dot = key.indexOf('.')
    if (dot < 0) {
      config[key] = frozen
      continue
    }
    const name = key.slice(0, dot)
    const section = sections.get(name) ?? {}
    section[fieldName(key)] = frozen
    sections.set(name, section)
  }
  for (const [name, section] of sections) config[name] = Object.freeze(section)
  return Object.freeze(config) as Config
}

const sections: ReadonlySet<string> = new Set(
  settingKeys.flatMap((key) => (key.includes('.') ? [key.slice(0, key.indexOf('.'))] : [])),
)

function isSection(path: string): boolean {
  return sections.has(path)
}

function isKey(text: string): text is SettingKey {
  return Object.hasOwn(settings, text)
}

function unknown(what: 'key' | 'variable', word: string, candidates: readonly string[]): string {
  const near = nearMiss(word, candidates)
  return `unknown ${what}${near === undefined ? '' : `; did you mean ${near}?`}`
}

const defaultNames = ['erace.config.ts', 'erace.config.js', 'erace.config.json']
const programEndings = ['.ts', '.mts', '.js', '.mjs', '.cjs']

type ConfigFile = { path: string; name: string }

/** The named file, or the one in the folder. Two of them would be ambiguous. */
function findConfigFile(named: string | undefined, cwd: string, errors: ValidationError[]): ConfigFile | undefined {
  if (named !== undefined) return { path: resolve(cwd, named), name: named }
  const found = defaultNames.map((name) => ({ path: resolve(cwd, name), name })).filter(({ path }) => existsSync(path))
  if (found.length > 1) {
    errors.push({
      place: found.map(({ name }) => name).join(' and '),
      message: 'more than one configuration file; remove the others, or choose one with --config',
    })
  }
  return found[0]
}

/** The object that the file exports or contains; `undefined`, with an error added, when it has none. */
async function readConfigFile({ path, name }: ConfigFile, errors: ValidationError[]): Promise<object | undefined> {
  let content: unknown
  try {
    content = await contentOf(path)
  } catch (error) {
    errors.push({ place: name, message: reasonOf(error) })
    return undefined
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  const where = extname(path) === '.json' ? 'must contain one object' : 'must export an object as its default'
  errors.push({ place: name, message: where })
  return undefined
}

async function contentOf(path: string): Promise<unknown> {
  if (programEndings.includes(extname(path)) && existsSync(path)) {
    const module: { default?: unknown } = await import(pathToFileURL(path).href)
    return module.default
  }
  // Some editors on Windows begin a file with a byte order mark.
  return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''))
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'no such file'
  if (code === 'EACCES') return 'permission denied'
  if (code === 'EISDIR') return 'is a folder'
  return `cannot be read: ${String(message ?? error)
    .slice(0, 300)
    .replace(/\s+/g, ' ')}`
}
