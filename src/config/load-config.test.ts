import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isAppError } from '../core/errors.ts'
import { configOf, loadConfig } from './load-config.ts'
import { environmentName, settingKeys } from './schema.ts'
import { InvalidInputError } from './validation-errors.ts'
import { version } from './version.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'erace-config-'))
})
after(() => rm(folder, { recursive: true, force: true }))

async function folderWith(files: Record<string, string>): Promise<string> {
  const cwd = await mkdtemp(join(folder, 'case-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  return cwd
}

async function errorsOf(sources: Parameters<typeof loadConfig>[0]): Promise<readonly string[]> {
  try {
    await loadConfig(sources)
  } catch (error) {
    assert.ok(error instanceof InvalidInputError && isAppError(error, 'config-invalid'))
    return error.message.split('\n')
  }
  assert.fail('the configuration was accepted')
}

describe('configuration', () => {
  test('every setting has its default if there is no source', async () => {
    const config = await loadConfig({ cwd: await folderWith({}), env: {} })
    assert.deepEqual(config.network.allow, [])
    assert.equal(config.schedule.minEveryMs, 30_000)
    assert.equal(config.crawl.delayMs, 1000)
    assert.equal(config.crawl.maxBodyBytes, 10_000_000)
    assert.equal(config.crawl.order, 'breadth')
    assert.equal(config.crawl.userAgent, `erace/${version}`)
    assert.deepEqual(config.retention, { kind: 'forever' })
    assert.deepEqual(config.sources, [])
  })

  test('a byte order mark at the start of a JSON file is skipped', async () => {
    const cwd = await folderWith({ 'erace.config.json': '\uFEFF{ "crawl": { "perHost": 2 } }' })
    assert.equal((await loadConfig({ cwd, env: {} })).crawl.perHost, 2)
  })

  test('an error in the syntax of a file takes one line', async () => {
    const cwd = await folderWith({ 'erace.config.json': 'crawl:\n  delay: 2s\n' })
    const errors = await errorsOf({ cwd, env: {} })
    assert.equal(errors.length, 1)
    assert.match(errors[0]!, /^erace\.config\.json: cannot be read: Unexpected token/)
  })

  test('a mistyped section is recognised', async () => {
    const cwd = await folderWith({ 'erace.config.json': '{ "crwal": { "perHost": 2 } }' })
    assert.deepEqual(await errorsOf({ cwd, env: {} }), ['erace.config.json, crwal: unknown key; did you mean crawl?'])
  })

  test('the command line overrides the environment, which overrides the file, which overrides defaults', async () => {
    const cwd = await folderWith({
      'erace.config.json': '{ "crawl": { "delay": "2s", "perHost": 2, "fetchers": 20 }, "retention": "90d" }',
    })
    const config = await loadConfig({
      cwd,
      env: { ERACE_CRAWL_PERHOST: '3', ERACE_CRAWL_FETCHERS: '30' },
      overrides: [{ key: 'crawl.fetchers', value: '40', place: '--fetchers' }],
    })
    assert.equal(config.crawl.delayMs, 2000)
    assert.equal(config.crawl.perHost, 3)
    assert.equal(config.crawl.fetchers, 40)
    assert.equal(config.crawl.threads, 0)
    assert.deepEqual(config.retention, {
      kind: 'limits',
      maxAgeMs: 90 * 86_400_000,
      maxVersions: null,
      maxBytes: null,
    })
  })

  for (const [name, text] of [
    ['erace.config.ts', "const delay: string = '7s'\nexport default { crawl: { delay } }"],
    ['erace.config.js', "module.exports = { crawl: { delay: '7s' } }"],
    ['erace.config.json', '{ "crawl.delay": 7000 }'],
  ] as const) {
    test(`${name} in the folder is found automatically`, async () => {
      const config = await loadConfig({ cwd: await folderWith({ [name]: text }), env: {} })
      assert.equal(config.crawl.delayMs, 7000)
    })
  }

  test('a named file is resolved relative to the folder', async () => {
    const cwd = await folderWith({ 'other.json': '{ "log": { "level": "warn" } }' })
    assert.equal((await loadConfig({ cwd, file: 'other.json', env: {} })).log.level, 'warn')
  })

  test('lists in the environment are separated by commas', async () => {
    const env = { ERACE_NETWORK_ALLOW: '127.0.0.0/8, ::1', ERACE_CRAWL_TRACKINGPARAMETERS: '' }
    const config = await loadConfig({ cwd: await folderWith({}), env })
    assert.deepEqual(config.network.allow, ['127.0.0.0/8', '::1/128'])
    assert.deepEqual(config.crawl.trackingParameters, [])
  })

  test('errors from all sources are listed together with their place and a suggestion', async () => {
    const cwd = await folderWith({
      'erace.config.json': '{ "crawl": { "dely": 1, "perHost": 0 }, "netwrok.allow": [], "log": 3, "__proto__": {} }',
    })
    const errors = await errorsOf({
      cwd,
      env: { ERACE_CRAWL_FETCHER: '9', ERACE_NETWORK_ALLOW: '10.0.0.0/33', ERACE_CRAWL_SORTQUERY: 'perhaps' },
      overrides: [{ key: 'crawl.maxBody', value: '-5', place: '--max-body' }],
    })
    assert.deepEqual(errors, [
      'erace.config.json, crawl.dely: unknown key; did you mean crawl.delay?',
      'erace.config.json, netwrok.allow: unknown key; did you mean network.allow?',
      'erace.config.json, log: expected an object with the settings of this section',
      'erace.config.json, __proto__: unknown key',
      'ERACE_CRAWL_FETCHER: unknown variable; did you mean ERACE_CRAWL_FETCHERS?',
      'erace.config.json, crawl.perHost: expected a whole number from 1 to 256, not 0',
      'ERACE_NETWORK_ALLOW: expected a list of networks such as 10.0.0.0/8 or fd00::/8, not "10.0.0.0/33"',
      'ERACE_CRAWL_SORTQUERY: expected true or false, not "perhaps"',
      '--max-body: expected a size from 1KB to 1GB (such as 64KiB, 10MB), not "-5"',
    ])
  })

  test('reserved environment variables are accepted', async () => {
    const env = { ERACE_DATA: 'x', ERACE_STORE: 'y', ERACE_CONFORMANCE: 'z', ERACE_TEST_X: '1', ERACE_LAUNCHED: '1' }
    await loadConfig({ cwd: await folderWith({}), env })
  })

  test('a missing, malformed or unsuitable file is an error with a reason', async () => {
    const cwd = await folderWith({ 'broken.json': '{', 'list.json': '[]', 'none.ts': 'export const x = 1' })
    assert.deepEqual(await errorsOf({ cwd, file: 'no.json', env: {} }), ['no.json: no such file'])
    assert.match((await errorsOf({ cwd, file: 'broken.json', env: {} }))[0]!, /^broken\.json: cannot be read: .*JSON/)
    assert.deepEqual(await errorsOf({ cwd, file: 'list.json', env: {} }), ['list.json: must contain one object'])
    assert.deepEqual(await errorsOf({ cwd, file: 'none.ts', env: {} }), [
      'none.ts: must export an object as its default',
    ])
  })

  test('two configuration files in the folder are an error', async () => {
    const cwd = await folderWith({ 'erace.config.js': 'export default {}', 'erace.config.json': '{}' })
    assert.match((await errorsOf({ cwd, env: {} }))[0]!, /^erace\.config\.js and erace\.config\.json: more than one/)
  })

  test('a key given both nested and dotted is an error', async () => {
    const cwd = await folderWith({ 'erace.config.json': '{ "crawl.delay": 1, "crawl": { "delay": 2 } }' })
    assert.deepEqual(await errorsOf({ cwd, env: {} }), ['erace.config.json, crawl.delay: is set twice'])
  })

  test('contradictory limits are an error', () => {
    assert.throws(() => configOf({ 'dns.minTtl': '2h', 'dns.maxTtl': '1h' }), /dns.minTtl: must not exceed/)
  })

  test('a configuration is frozen and survives structured cloning', () => {
    const config = configOf({ 'crawl.delay': 0 })
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.crawl) && Object.isFrozen(config.network.allow))
    assert.deepEqual(structuredClone(config), config)
  })

  test('a user agent that is empty or contains line breaks is rejected', () => {
    assert.throws(() => configOf({ 'crawl.userAgent': 'bot/1\r\nx: y' }))
    assert.throws(() => configOf({ 'crawl.userAgent': '' }))
    assert.equal(
      configOf({ 'crawl.userAgent': 'Bot/1 (+https://a.example/)' }).crawl.userAgent,
      'Bot/1 (+https://a.example/)',
    )
  })

  test('every setting has a unique environment variable', () => {
    assert.equal(new Set(settingKeys.map(environmentName)).size, settingKeys.length)
    assert.equal(environmentName('schedule.minEvery'), 'ERACE_SCHEDULE_MINEVERY')
  })

  test('the version matches package.json', async () => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    assert.equal(version, manifest.version)
  })
})
