import fc from 'fast-check'
import { configOf } from '../../config/load-config.ts'
import { timeText } from '../../core/delivery/cadence.ts'
import {
  amounts,
  aspects,
  type Interests,
  type Profile,
  type ProfileDelivery,
  type ProfileUrd,
  type Scope,
  type Source,
  type TimeWindow,
} from '../../core/profile.ts'
import { type SourceAbilities, webAbilities } from './protocols.ts'
import { type ProfileRules, profileRules } from './values/profile-values.ts'

export const rules: ProfileRules = profileRules(configOf(), webAbilities)

const canAll: SourceAbilities = { push: true, credentials: 'optional', depth: true, browser: true }

/** Rules that check only the shape: interests are validated elsewhere. */
export const rulesOfShape: ProfileRules = {
  ...rules,
  abilities: new Map(
    ['http', 'https', 'imaps', 'nntp', 'file', 'postgres', 'sqlite'].map((scheme) => [scheme, canAll]),
  ),
  checkCredentials: () => null,
  checkInterests: () => [],
  checkChannel: () => null,
}

const weighty = fc.oneof(
  fc.integer({ min: 1, max: 1000 }),
  fc.double({ min: 0.001, max: 100_000, noNaN: true, noDefaultInfinity: true }),
)

/** Anything a name or a term may contain, markup and unusual white space included. */
export const anyName = fc
  .string({ unit: fc.constantFrom(...'<>&"\'\\]u0 \u00a0\u2028\ufeff\ufffdaé字😀java'), minLength: 1, maxLength: 30 })
  .filter((text) => text.trim() !== '')

const anyScope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constantFrom<Scope>({ kind: 'page' }, { kind: 'path' }, { kind: 'host' }, { kind: 'domain' }),
  fc.constantFrom('/news/', 'a|b', '^https?://[^/]+/x<y>&"\\.html$', 'host', 'page').map((source) => ({
    kind: 'pattern' as const,
    source,
  })),
)

const anyWindow: fc.Arbitrary<TimeWindow> = fc.record({
  zone: fc.constantFrom('UTC', 'Europe/Nicosia', 'America/New_York', 'Asia/Kolkata'),
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }).map((days) => days.sort((a, b) => a - b)),
  fromMinute: fc.integer({ min: 0, max: 1439 }),
  toMinute: fc.integer({ min: 0, max: 1440 }),
})

const anyUri = fc
  .oneof(
    fc.webUrl({ withQueryParameters: true }),
    fc.constantFrom(
      'http://www.cs.ucy.ac.cy/default.html',
      'http://example.org:8080/?q=a&b=%20c',
      'imaps://mail.example.org/INBOX',
      'nntp://news.example.org/comp.lang.java',
      'file:///srv/reports/',
      'postgres://db.example.org/stock',
    ),
  )
  .map((text) => new URL(text).href)

const anySource: fc.Arbitrary<Source> = fc
  .record({
    uri: anyUri,
    template: fc.constant(''),
    everyMs: fc.oneof(fc.constantFrom(30_000, 600_000, 86_400_000), fc.integer({ min: 30_000, max: 31_536_000_000 })),
    depth: fc.integer({ min: 0, max: 1000 }),
    scope: anyScope,
    process: fc.constantFrom('filter', 'track', 'archive'),
    window: fc.option(anyWindow),
    select: fc.uniqueArray(fc.constantFrom('.price', '#a > b', '//p[@x="<&>"]', '$.items[*].price', '/^Total: /'), {
      maxLength: 3,
    }),
    omit: fc.uniqueArray(fc.constantFrom('nav, .ad', '//footer', '/^Page \\d+$/'), { maxLength: 3 }),
    aspects: fc.subarray([...aspects], { minLength: 1 }),
    conditions: fc.uniqueArray(fc.constantFrom('below 30', 'drops by 10 %', 'back in stock', 'changes'), {
      maxLength: 3,
    }),
    render: fc.constantFrom('http', 'browser'),
    credentials: fc.oneof(fc.constant(''), anyName),
    method: fc.constantFrom('pull', 'push'),
    stretch: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ stretch, ...source }) => ({ ...source, everyMaxMs: Math.min(31_536_000_000, source.everyMs * stretch) }))

/** Expressions, and names with their backslashes escaped. */
const anyExpression = fc.oneof(
  fc.constantFrom('Visitors:\\s+\\d+', '[<>&]+|"x"', ' a ', '^]]>$'),
  anyName.map((name) => name.replaceAll('\\', '\\\\')),
)

const anyInterests: fc.Arbitrary<Interests> = fc.record({
  keywords: fc.array(fc.record({ key: anyName, weight: weighty }), { maxLength: 5 }),
  exclude: fc.array(anyName, { maxLength: 3 }),
  expression: fc.oneof(
    fc.constant(''),
    anyName.map((text) => text.trim()),
  ),
  threshold: fc.oneof(fc.constant(0), weighty),
  stemming: fc.constantFrom('', 'en', 'de'),
  scorer: fc.constantFrom('keywords', 'bm25'),
  ignore: fc.array(anyExpression, { maxLength: 3 }),
  match: fc.constantFrom('change', 'page'),
})

const anyTime = fc.integer({ min: 0, max: 1439 }).map(timeText)

const anyDelivery: fc.Arbitrary<ProfileDelivery> = fc.record({
  channels: fc.oneof(fc.constant(['inbox']), fc.uniqueArray(anyName, { maxLength: 3 })),
  cadence: fc.constantFrom('immediate', 'daily 08:00', 'hourly', 'every 15m', 'weekly mon 08:00'),
  quiet: fc.option(
    fc
      .record({ zone: fc.constantFrom('', 'UTC', 'Europe/Nicosia'), from: anyTime, to: anyTime })
      .filter(({ from, to }) => from !== to),
  ),
  perHour: fc.option(fc.integer({ min: 1, max: 1000 })),
  urgentFrom: fc.option(fc.constantFrom(0.1, 2, 100)),
  escalation: fc.option(
    fc.record({
      channel: fc.constantFrom('c_escalation', 'c_"<&>'),
      after: fc.constantFrom('1m', '90m', '2h', '7d'),
      urgency: fc.constantFrom(0.5, 5),
    }),
  ),
})

const shared = {
  paused: fc.boolean(),
  interests: anyInterests,
  urgency: fc.constantFrom(0.1, 1, 2, 7.5, 100),
  amount: fc.constantFrom(...amounts),
  delivery: anyDelivery,
}

const plainly = { noNullPrototype: true } as const

export const anyProfile: fc.Arbitrary<Profile> = fc
  .record(
    {
      id: anyName,
      owner: anyName,
      name: anyName,
      sources: fc.array(anySource, { minLength: 1, maxLength: 3 }),
      ...shared,
    },
    plainly,
  )
  .map((profile) => structuredClone(profile))

export const anyUrd: fc.Arbitrary<ProfileUrd> = fc
  .record(
    {
      id: anyName,
      owner: anyName,
      profile: anyName,
      source: anySource,
      lastCheckedAt: fc.nat({ max: 8.64e15 }),
      ...shared,
    },
    plainly,
  )
  .map((urd) => structuredClone(urd))
