import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { isAllowed, parseRobots } from './parse-robots.ts'
import type { DayWindow } from './robots-rules.ts'

const folder = process.env.ERACE_CONFORMANCE
if (folder === undefined && process.env.CI) throw new Error('ERACE_CONFORMANCE must name the conformance data in CI')
const skip = folder === undefined && 'ERACE_CONFORMANCE names no folder of conformance data'

type AccessCase = { test: string; robots: string; userAgent: string; url: string; allowed: boolean }
type ExtraCase = { kind: string; test: string; robots: string; userAgent?: string; value: unknown }

/** Cases in which the data disagree with RFC 9309, which takes precedence. */
const exceptions = [
  {
    reason: 'section 2.2.4: a line of another kind must not end a group, so the star shares the rules of ia_archiver',
    test: 'test_grouping_unknown_keys',
    covers: (one: AccessCase) => one.userAgent === 'agent',
  },
  {
    reason: 'section 2.2.1: a product token holds no wildcard; foo*bot is read as foo, which is not foobot',
    test: 'test_generosity',
    covers: (one: AccessCase) => one.userAgent === 'foobot' && one.robots.includes('foo*bot'),
  },
  {
    reason: 'section 2.2.3: a dollar at the end is the end of the match and not also a dollar',
    test: 'test_special_symbols_dual_behaviour',
    covers: (one: AccessCase) => /abc(\$|%24)$/.test(one.url),
  },
]

function read<T>(name: string): T[] {
  const file = path.join(folder!, 'robots-protego', name)
  assert.ok(existsSync(file), `${file} is missing`)
  return JSON.parse(readFileSync(file, 'utf8')) as T[]
}

test('decides access as in the Protego cases, except for the listed exceptions', { skip }, () => {
  const cases = read<AccessCase>('cases.json')
  assert.ok(cases.length >= 378)
  for (const one of cases) {
    const exception = exceptions.find((each) => each.test === one.test && each.covers(one))
    const expected = exception === undefined ? one.allowed : !one.allowed
    assert.equal(isAllowed(one.robots, one.userAgent, one.url), expected, `${one.test}: ${one.userAgent} ${one.url}`)
  }
})

test('reads crawl delay, request rate, visit time, sitemaps and host as in the extra cases', { skip }, () => {
  for (const one of read<ExtraCase>('extra.json')) {
    assert.deepEqual(stated(one), one.value, `${one.test} ${one.userAgent}`)
  }
})

function stated({ kind, robots, userAgent = '*' }: ExtraCase): unknown {
  const rules = parseRobots(robots)
  if (kind === 'sitemaps') return rules.sitemaps
  if (kind === 'preferred_host') return rules.preferredHost
  if (kind === 'crawl_delay') return rules.crawlDelaySeconds(userAgent)
  if (kind === 'visit_time') return hoursInWords(rules.visitTime(userAgent), null)
  const rate = rules.requestRate(userAgent)
  if (rate === null) return null
  return { requests: `${rate.requests}`, seconds: `${rate.seconds}`, ...hoursInWords(rate.hours, 'None') }
}

function hoursInWords<T>(hours: DayWindow | null, none: T) {
  if (hours === null) return none === null ? null : { start_time: none, end_time: none }
  const clock = (minute: number) => `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}:00`
  return { start_time: clock(hours.startMinute), end_time: clock(hours.endMinute) }
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
