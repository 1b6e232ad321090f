import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configOf } from '../../../config/load-config.ts'
import { deliveryDefaults, type ProfileDraft, partDefaults } from '../../../core/profile.ts'
import { rules } from '../profiles.testkit.ts'
import { portOf, supportOf, webAbilities } from '../protocols.ts'
import { profileRules, profileToJson, readProfileJson, withBelongings } from './profile-values.ts'

const uri = 'http://www.cs.ucy.ac.cy/default.html'

function draftOf(value: unknown, given = rules): ProfileDraft {
  const read = readProfileJson(value, given)
  assert.ok(read.kind === 'profile', JSON.stringify(read))
  return read.profile
}

function errorsOf(value: unknown): string[] {
  const read = readProfileJson(value, rules)
  return read.kind === 'profile' ? [] : read.errors.map(({ place, message }) => `${place}: ${message}`)
}

describe('profile in JSON', () => {
  test('is read as documented', () => {
    const profile = draftOf({
      name: 'Java research',
      sources: [{ uri, every: '10m', depth: 4, scope: 'host', process: 'filter' }],
      interests: {
        keywords: [
          { key: 'ibm', weight: 1 },
          { key: 'research', weight: 3 },
        ],
        exclude: ['job advert'],
        threshold: 4,
      },
      urgency: 1,
      amount: 'summary',
      delivery: deliveryDefaults,
    })
    assert.deepEqual(profile, {
      name: 'Java research',
      paused: false,
      sources: [
        {
          uri,
          template: '',
          everyMs: 600_000,
          everyMaxMs: 600_000,
          depth: 4,
          scope: { kind: 'host' },
          process: 'filter',
          window: null,
          select: [],
          omit: [],
          aspects: ['text', 'links'],
          conditions: [],
          render: 'http',
          credentials: '',
          method: 'pull',
        },
      ],
      interests: {
        keywords: [
          { key: 'ibm', weight: 1 },
          { key: 'research', weight: 3 },
        ],
        exclude: ['job advert'],
        expression: '',
        threshold: 4,
        stemming: '',
        scorer: 'keywords',
        ignore: [],
        match: 'change',
      },
      urgency: 1,
      amount: 'summary',
      delivery: deliveryDefaults,
    })
  })

  test('needs a source, and has defaults for everything else', () => {
    const profile = draftOf({ sources: [{ uri }] })
    assert.equal(profile.name, 'www.cs.ucy.ac.cy')
    assert.deepEqual(profile.sources, [
      {
        uri,
        everyMs: 3_600_000,
        everyMaxMs: 3_600_000,
        depth: 0,
        scope: { kind: 'host' },
        process: 'track',
        window: null,
        ...partDefaults,
      },
    ])
    assert.deepEqual(profile.delivery, deliveryDefaults)
    assert.deepEqual(errorsOf({}), ['sources: a profile needs at least one source'])
    assert.deepEqual(errorsOf({ sources: [] }), ['sources: a profile needs at least one source'])
  })

  test('filters if there are interests, and tracks otherwise', () => {
    const process = (interests: unknown) => draftOf({ sources: [{ uri }], interests }).sources[0]!.process
    assert.equal(process({ keywords: ['java'] }), 'filter')
    assert.equal(process({ expression: 'java AND NOT coffee' }), 'filter')
    assert.equal(process({}), 'track')
  })

  test('takes a scope as a keyword or a regular expression, even one that looks like a keyword', () => {
    const scope = (given: unknown) => draftOf({ sources: [{ uri, scope: given }] }).sources[0]!.scope
    assert.deepEqual(scope('domain'), { kind: 'domain' })
    assert.deepEqual(scope('/news/\\d+'), { kind: 'pattern', source: '/news/\\d+' })
    assert.deepEqual(scope({ pattern: 'host' }), { kind: 'pattern', source: 'host' })
    assert.match(errorsOf({ sources: [{ uri, scope: '(a' }] }).join(), /^sources\[0\]\.scope: /)
    assert.match(errorsOf({ sources: [{ uri, scope: '(a)\\1' }] }).join(), /^sources\[0\]\.scope: /)
  })

  test('keeps intervals as given, and refuses invalid ones', () => {
    const { everyMs, everyMaxMs } = draftOf({ sources: [{ uri, every: '1s', everyMax: '2m' }] }).sources[0]!
    assert.deepEqual([everyMs, everyMaxMs], [1_000, 120_000])
    for (const every of ['0', -1, 'often', '366d', Number.NaN, {}])
      assert.match(errorsOf({ sources: [{ uri, every }] }).join(), /^sources\[0\]\.every: expected an interval/)
    assert.deepEqual(errorsOf({ sources: [{ uri, every: '2h', everyMax: '1h' }] }), [
      'sources[0].everyMax: must not be shorter than the interval',
    ])
  })

  test('appends arguments to the query of the URL', () => {
    const named = [{ name: 'symbol', value: 'A&B' }]
    const read = (given: string) => draftOf({ sources: [{ uri: given, arguments: named }] }).sources[0]!.uri
    assert.equal(read('http://a.example/q'), 'http://a.example/q?symbol=A%26B')
    assert.equal(read('http://a.example/q?x&y=%7e#top'), 'http://a.example/q?x&y=%7e&symbol=A%26B')
  })

  test('takes expressions to ignore, and reports errors with their position', () => {
    const ignoring = (ignore: unknown) => ({ sources: [{ uri }], interests: { ignore } })
    const profile = draftOf(ignoring(['Visitors: \\d+', 'a|b']))
    assert.deepEqual(profile.interests.ignore, ['Visitors: \\d+', 'a|b'])
    assert.equal(profile.sources[0]!.process, 'track', 'it is no interest')
    assert.deepEqual(profileToJson(profile).interests, profile.interests)
    const errors = errorsOf(ignoring(['fine', '(a', 'x'.repeat(501), '(a)\\1', null, ' ', 7]))
    assert.deepEqual(
      errors.map((error) => error.slice(0, error.indexOf(':'))),
      [1, 2, 3, 4, 5, 6].map((n) => `interests.ignore[${n}]`),
    )
    assert.match(
      errorsOf(ignoring(Array(101).fill('a'))).join(),
      /^interests\.ignore: has 101 entries; the maximum is 100/,
    )
  })

  test('takes selectors, aspects and conditions of a source, and reports errors with their position', () => {
    const part = { select: ['.price', ' //h1 ', '.price'], omit: ['nav'], aspects: ['status', 'text', 'text'] }
    const [source] = draftOf({ sources: [{ uri, ...part, conditions: ['below 30'] }] }).sources
    const read = { select: ['.price', '//h1'], omit: ['nav'], aspects: ['text', 'status'], conditions: ['below 30'] }
    assert.deepEqual(source, { ...draftOf({ sources: [{ uri }] }).sources[0], ...read })
    const json = profileToJson(draftOf({ sources: [{ uri, ...part, conditions: ['below 30'] }] }))
    assert.deepEqual(draftOf(json).sources, [source])
    const wrong = {
      select: ['a', ' ', 7, 'x'.repeat(501), null, 'a >', '//a['],
      omit: Array(21).fill('a'),
      aspects: ['text', 'colour', 1],
      conditions: ['x'.repeat(61), ...Array(10).fill('changes')],
    }
    const sources = [
      { uri, ...wrong },
      { uri, aspects: [], select: 'p' },
    ]
    assert.deepEqual(errorsOf({ sources, interests: { match: 'word' } }), [
      'interests.match: expected one of change, page, not "word"',
      'sources[0].select[1]: is empty',
      'sources[0].select[2]: expected a string, not 7',
      'sources[0].select[3]: has 501 characters; the maximum is 500',
      'sources[0].select[4]: is missing',
      'sources[0].select[5]: invalid CSS selector: nothing follows a combinator',
      'sources[0].select[6]: invalid XPath: it ends too early',
      'sources[0].omit: has 21 entries; the maximum is 20',
      'sources[0].aspects[1]: expected one of text, links, images, title, description, data, status, headers, not "colour"',
      'sources[0].aspects[2]: expected one of text, links, images, title, description, data, status, headers, not 1',
      'sources[0].conditions: has 11 entries; the maximum is 10',
      'sources[0].conditions[0]: has 61 characters; the maximum is 60',
      'sources[1].select: expected a list, not "p"',
      'sources[1].aspects: is empty, so nothing would count as a change',
    ])
  })

  test('stored without expressions to ignore ignores nothing', () => {
    const { interests, ...rest } = draftOf({ sources: [{ uri }] })
    const { ignore: _, ...earlier } = interests
    const json = profileToJson({ ...rest, interests: earlier as typeof interests })
    assert.deepEqual((json.interests as { ignore: unknown }).ignore, [])
  })

  test('reports all errors at once', () => {
    const wrong = {
      nmae: 'x',
      name: 'a\u0000b',
      paused: 'no',
      sources: [
        { uri: 'no uri' },
        { uri: 'telnet://a.example/' },
        7,
        { uri, depth: -1, process: 'count' },
        { uri, window: { zone: 'Mars/Base', days: [0], from: '8:00' } },
        {},
      ],
      interests: { keywords: [{ key: 'a', weight: '3' }, 'b', { weight: 1 }, null], exclude: 'job', threshold: -1 },
      urgency: 0,
      amount: 'all',
      delivery: { channels: [''], cadence: 5 },
    }
    const places = errorsOf(wrong).map((error) => error.slice(0, error.indexOf(':')))
    assert.deepEqual(places, [
      'nmae',
      'interests.keywords[0].weight',
      'interests.keywords[2].key',
      'interests.keywords[3]',
      'interests.exclude',
      'interests.threshold',
      'sources[0].uri',
      'sources[1].uri',
      'sources[2]',
      'sources[3].depth',
      'sources[3].process',
      'sources[4].window.zone',
      'sources[4].window.days',
      'sources[4].window.from',
      'sources[5].uri',
      'name',
      'paused',
      'urgency',
      'amount',
      'delivery.channels[0]',
      'delivery.cadence',
    ])
  })

  test('reports values of wrong types, deep nesting and __proto__ as errors', () => {
    for (const value of [undefined, null, 7, 'x', [], true]) assert.equal(errorsOf(value).length, 1)
    const deep = JSON.parse(`{"name":${'['.repeat(50_000)}${']'.repeat(50_000)},"sources":[{"uri":"${uri}"}]}`)
    assert.deepEqual(errorsOf(deep), ['name: expected a string, not a list'])
    const proto = JSON.parse(`{"__proto__":{"name":"x"},"sources":[{"uri":"${uri}"}]}`)
    assert.deepEqual(errorsOf(proto), ['__proto__: unknown key'])
    const many = errorsOf({ sources: [{ uri }], interests: { keywords: Array(20_000).fill(5) } })
    assert.equal(many.length, 500)
  })

  test('refuses unknown channels, and push for sources that can only be polled', () => {
    assert.deepEqual(errorsOf({ sources: [{ uri }], delivery: { channels: ['inbox', 'mail', 'constructor'] } }), [
      'delivery.channels[1]: unknown channel "mail"; expected inbox',
      'delivery.channels[2]: unknown channel "constructor"; expected inbox',
    ])
    assert.deepEqual(errorsOf({ sources: [{ uri, method: 'pull' }], delivery: { channels: ['inbox'] } }), [])
    assert.deepEqual(errorsOf({ sources: [{ uri, method: 'push' }] }), [
      "sources[0].method: the hub of a feed must be able to call this server, which doesn't know its public address (server.url); use pull",
    ])
    const reachable = profileRules(configOf({ 'server.url': 'https://e.example' }), webAbilities)
    const pushed = (more: object) => readProfileJson({ sources: [{ uri, method: 'push', ...more }] }, reachable)
    assert.equal(pushed({}).kind, 'profile')
    assert.equal(pushed({ render: 'browser' }).kind, 'invalid')
    const known = profileRules(configOf(), webAbilities, { channels: ['inbox', '7'], credentials: [] })
    const delivered = (channels: string[]) => readProfileJson({ sources: [{ uri }], delivery: { channels } }, known)
    assert.equal(delivered(['7', 'inbox']).kind, 'profile')
    assert.equal(delivered(['8']).kind, 'invalid')
  })

  test('accepts push, a browser and credentials only if the protocol of the source supports them', () => {
    const none = { push: false, credentials: 'none', depth: true, browser: false } as const
    const abilities = new Map([
      ...webAbilities,
      ['imaps', { ...none, push: true, credentials: 'required' }] as const,
      ['gopher', none] as const,
    ])
    const known = profileRules(configOf(), abilities, { channels: ['inbox'], credentials: ['mail', 'shop "1"'] })
    const read = (source: unknown) => readProfileJson({ sources: [source] }, known)
    const faults = (source: unknown) => {
      const outcome = read(source)
      return outcome.kind === 'profile' ? [] : outcome.errors.map(({ place, message }) => `${place}: ${message}`)
    }
    const mailbox = read({ uri: 'imaps://mail.example/INBOX', protocol: 'IMAP', method: 'push', credentials: 'mail' })
    assert.ok(mailbox.kind === 'profile', JSON.stringify(mailbox))
    const { render, credentials, method } = mailbox.profile.sources[0]!
    assert.deepEqual({ render, credentials, method }, { render: 'http', credentials: 'mail', method: 'push' })
    assert.deepEqual(faults({ uri, render: 'browser', credentials: 'shop "1"', protocol: 'https' }), [])
    assert.deepEqual(faults({ uri: 'imaps://mail.example/INBOX', protocol: 'pop3', render: 'browser' }), [
      'sources[0].protocol: is "pop3", but the URI starts with imaps:',
      "sources[0].render: a browser can't show sources of imaps; use http",
      'sources[0].credentials: sources of imaps need credentials; store them first and put their name here',
    ])
    assert.deepEqual(faults({ uri: 'gopher://g.example/', credentials: 'mail' }), [
      'sources[0].credentials: sources of gopher take no credentials; leave them out',
    ])
    assert.deepEqual(faults({ uri, credentials: 'bank', render: 'paper', method: 'pray' }), [
      'sources[0].method: expected one of pull, push, not "pray"',
      'sources[0].render: expected one of http, browser, not "paper"',
      'sources[0].credentials: you have no credentials named "bank"; expected "mail" or "shop \\"1\\""',
    ])
    // A protocol that isn't supported yet is assumed unable to push.
    assert.deepEqual(faults({ uri: 'pop3://mail.example/', method: 'push' }), [
      "sources[0].method: sources of pop3 can't push; use pull",
    ])
  })

  test('keeps browser steps in the URL fragment, and removes other fragments', () => {
    const uriOf = (source: object) => draftOf({ sources: [source] }).sources[0]!.uri
    const stepped = `${uri}#!click=.accept&wait=quiet`
    assert.equal(uriOf({ uri: stepped, render: 'browser' }), stepped)
    assert.equal(uriOf({ uri: stepped }), uri)
    assert.equal(uriOf({ uri: `${uri}#top`, render: 'browser' }), uri)
    assert.match(
      errorsOf({ sources: [{ uri: `${uri}#!jump=1`, render: 'browser' }] }).join(),
      /uri: "jump" isn't a step/,
    )
  })

  test('refuses URLs with a user name or password of any protocol, without showing them', () => {
    for (const given of ['https://~b@a.example/', 'https://ann:s3cret@a.example/', 'imaps://ann@a.example/'])
      assert.deepEqual(errorsOf({ sources: [{ uri: given }] }), [
        "sources[0].uri: can't have a user name or password in it; store them as credentials, and name those in the source",
      ])
  })

  test('normalises the delivery policy, and fills in defaults', () => {
    const known = withBelongings(rules, { channels: ['inbox', 'c_mail', 'c_phone'], credentials: [] })
    const deliveryOf = (delivery: unknown) => {
      const read = readProfileJson({ sources: [{ uri }], delivery }, known)
      assert.ok(read.kind === 'profile', JSON.stringify(read))
      return read.profile.delivery
    }
    assert.deepEqual(deliveryOf({ channels: ['c_mail'], cadence: ' Weekly  MON 8:00 ' }), {
      ...deliveryDefaults,
      channels: ['c_mail'],
      cadence: 'weekly mon 8:00',
    })
    const whole = {
      channels: ['inbox', 'c_mail'],
      cadence: 'every 15m',
      quiet: { from: '22:00', to: '7:00' },
      perHour: 10,
      urgentFrom: 5,
      escalation: { channel: 'c_phone', after: '1800s', urgency: 5 },
    }
    assert.deepEqual(deliveryOf(whole), {
      ...whole,
      quiet: { zone: '', from: '22:00', to: '07:00' },
      escalation: { channel: 'c_phone', after: '30m', urgency: 5 },
    })
    assert.deepEqual(deliveryOf({ quiet: null, perHour: null, urgentFrom: null, escalation: null }), deliveryDefaults)
  })

  test('reports all errors of a delivery policy at once', () => {
    const delivery = {
      channels: ['inbox', 'c_other'],
      cadence: 'often',
      quiet: { zone: 'Mars/Base', from: '25:00', to: '' },
      perHour: 1001,
      urgentFrom: 0,
      escalation: { channel: 'c_none', after: '8d', urgency: 'high' },
      when: 'now',
    }
    assert.deepEqual(errorsOf({ sources: [{ uri }], delivery }), [
      'delivery.when: unknown key',
      'delivery.channels[1]: unknown channel "c_other"; expected inbox',
      'delivery.cadence: "often" can\'t be read; expected immediate, every 15m, hourly, daily 08:00 or weekly mon 08:00',
      'delivery.quiet.zone: "Mars/Base" is not a time zone; expected a name such as Europe/Nicosia',
      'delivery.quiet.from: expected a time such as 22:00, not "25:00"',
      'delivery.quiet.to: expected a time such as 22:00, not ""',
      'delivery.perHour: expected a whole number from 1 to 1000, not 1001',
      'delivery.urgentFrom: expected a number from 0.1 to 100, not 0',
      'delivery.escalation.channel: unknown channel "c_none"; expected inbox',
      'delivery.escalation.after: expected a time from 1m to 7d, such as 30m, not "8d"',
      'delivery.escalation.urgency: expected a number, not "high"',
    ])
    const same = { quiet: { from: '08:00', to: '8:00' }, escalation: { channel: 'inbox' } }
    assert.deepEqual(errorsOf({ sources: [{ uri }], delivery: same }), [
      'delivery.quiet.to: is the same as from; leave quiet out for no quiet hours',
      'delivery.escalation.channel: is the inbox, where it is already; name another channel',
      'delivery.escalation.after: is missing',
      'delivery.escalation.urgency: is missing',
    ])
  })

  test('takes an id and an owner, and writes them first', () => {
    const read = readProfileJson({ id: '7', owner: 'ada@example.org', sources: [{ uri }] }, rules)
    assert.ok(read.kind === 'profile')
    assert.deepEqual([read.id, read.owner], ['7', 'ada@example.org'])
    assert.deepEqual(Object.keys(profileToJson({ ...read.profile, id: '7', owner: 'a' })).slice(0, 3), [
      'id',
      'owner',
      'name',
    ])
  })
})

describe('protocols', () => {
  test('without a fetcher are known, but reported as not supported', () => {
    const web = ['http', 'https']
    assert.deepEqual(supportOf('HTTPS://a.example/', web), { kind: 'supported' })
    assert.deepEqual(supportOf('ftp://a.example/', web), { kind: 'not-available', message: "FTP isn't supported" })
    assert.deepEqual(supportOf('ftp://a.example/', [...web, 'ftp']), { kind: 'supported' })
    assert.deepEqual(supportOf('memo:a', ['memo']), { kind: 'supported' })
    assert.equal(supportOf('javascript:1', web).kind, 'unknown')
    assert.equal(supportOf('', web).kind, 'unknown')
  })

  test('provide the default port of a URI', () => {
    assert.deepEqual(['http://a.example/', 'https://a.example:8443/', 'nntp://a.example/x', 'file:///a'].map(portOf), [
      80,
      8443,
      119,
      null,
    ])
  })
})
