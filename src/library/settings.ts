import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { focusTermsOfProfile } from '../cli/args/focus-profile.ts'
import type { Target } from '../cli/engine.ts'
import { createLog } from '../cli/output/log.ts'
import { readCrawlLists, readSeeds } from '../config/crawl-lists.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import { loadConfig } from '../config/load-config.ts'
import { omitRulesOf } from '../config/source-rules.ts'
import { InvalidInputError, type ValidationError } from '../config/validation-errors.ts'
import type { CrawlOptions, LogEntry, OnLog, Place } from './surface.ts'

const levels = new Map<number, LogEntry['level']>([
  [10, 'trace'],
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
  [60, 'fatal'],
])

/** `config.log.level` decides which lines are passed on. */
export function logTo(onLog: OnLog | undefined, { config }: Target): Logger {
  const write = (line: string): void => {
    const { level, msg = '', ...fields } = JSON.parse(line) as { level: number; msg?: string }
    onLog?.({ ...fields, level: levels.get(level) ?? 'info', message: msg })
  }
  const level = onLog === undefined ? 'silent' : config.log.level
  return createLog({ level, format: 'json', destination: { write }, colour: false })
}

export async function targetOf({ data = 'erace-data', store, config = {} }: Place): Promise<Target> {
  if (store !== undefined && !/^postgres(?:ql)?:\/\/./.test(store))
    throw new InvalidInputError('usage-wrong', [{ place: 'store', message: 'must be postgres://…' }])
  // Not the working directory, which an empty path would mean.
  if (data === '') throw new InvalidInputError('usage-wrong', [{ place: 'data', message: 'needs a folder' }])
  return {
    dataDir: resolve(data),
    store: store ?? null,
    config: await loadConfig({ cwd: process.cwd(), env: {}, values: config }),
  }
}

/** Throws `usage-wrong` with all errors. */
export async function crawlSettingsOf(options: CrawlOptions, target: Target): Promise<CrawlSettings> {
  const { seeds, depth, restrict, maxPages } = options
  const { config, dataDir: folder } = target
  const errors: ValidationError[] = []
  const count = (place: string, value: number | undefined, min: number): number | null => {
    if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return value ?? null
    errors.push({ place, message: `must be a whole number, at least ${min}` })
    return null
  }
  const configured = await readCrawlLists(config, errors, focusTermsOfProfile)
  const words = typeof seeds === 'string' ? [seeds] : seeds
  const settings = {
    ...{ folder, config, files: configured.files, omit: omitRulesOf(config.sources) },
    focus: configured.focus ?? null,
    seeds:
      words === undefined
        ? configured.seeds
        : await readSeeds(words, { cwd: process.cwd(), allSchemes: config.parts.protocols.length > 0, errors }),
    depth: count('depth', depth, 0) ?? configured.depth,
    maxPages: count('maxPages', maxPages, 1),
    restrict: restrict instanceof RegExp ? restrict.source : (restrict ?? null),
  }
  if (restrict instanceof RegExp && restrict.flags !== '')
    errors.push({ place: 'restrict', message: `flags such as ${restrict.flags} are not supported` })
  if (config.crawl.order === 'walk' && maxPages === undefined)
    errors.push({ place: 'maxPages', message: 'is missing: a random walk has no end; give the number of its steps' })
  if (settings.seeds.length === 0 && errors.length === 0)
    errors.push({ place: 'seeds', message: 'give at least one URL' })
  if (errors.length > 0) throw new InvalidInputError('usage-wrong', errors)
  return settings
}
