import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { version } from '../config/version.ts'
import { AppError } from '../core/errors.ts'
import { emptyResult, useCliFolder } from './cli.testkit.ts'
import { commonOptions, spelling } from './command.ts'
import { findCommand, loadCommands } from './commands.ts'

const commands = await loadCommands()

describe('the command line', () => {
  const folder = useCliFolder({ 'wrong.json': '{ "crawl": { "dely": 1 } }' })

  for (const argv of [[], ['--help'], ['-h'], ['help']]) {
    test(`"erace ${argv.join(' ')}" lists every command with its summary`, async () => {
      const { code, out, err } = await folder.run(argv)
      assert.equal(code, 0)
      assert.equal(err, '')
      const lines = out.split('\n').map((line) => line.trim().replace(/ +/g, ' '))
      for (const { name, summary } of commands) assert.ok(lines.includes(`${name} ${summary}`), name)
    })
  }

  for (const command of commands) {
    test(`help for ${command.name} lists every option and example`, async () => {
      for (const argv of [
        [command.name, '--help'],
        ['help', command.name],
      ]) {
        const { code, out } = await folder.run(argv)
        assert.equal(code, 0)
        for (const option of [...command.options, ...commonOptions])
          assert.ok(out.includes(spelling(option)), option.name)
        for (const { line } of command.examples) assert.ok(out.includes(line))
      }
    })
  }

  test('each command is found by its name', async () => {
    for (const command of commands) assert.equal(await findCommand(command.name), command)
    assert.equal(await findCommand('constructor'), undefined)
  })

  test('--version prints only the version', async () => {
    const { code, out, err, listening } = await folder.run(['--version'])
    assert.deepEqual([code, out, err, listening], [0, `${version}\n`, '', 0])
  })

  test('an unknown command is a usage error with a suggestion and the list of commands', async () => {
    const { code, out, err } = await folder.run(['crwal', 'http://a.example/'])
    assert.equal(code, 2)
    assert.equal(out, '')
    const names = commands.map(({ name }) => name).join(', ')
    assert.ok(err.startsWith(`erace: crwal: unknown command; did you mean crawl? (commands: ${names})\n`), err)
    assert.equal((await folder.run(['serach', 'x'])).code, 2)
    assert.equal((await folder.run(['--nonsense'])).code, 2)
  })

  test('errors in options, configuration, environment and seeds are listed together', async () => {
    const { code, err } = await folder.run(
      ['crawl', '--dpeth', '3', '--config', 'wrong.json', '--fetchers', '0', 'telnet://a.example/'],
      { env: { ERACE_CRAWL_ORDER: 'sideways' } },
    )
    assert.equal(code, 2)
    assert.deepEqual(err.split('\n'), [
      'erace crawl: --dpeth: unknown option; did you mean --depth?',
      'erace crawl: wrong.json, crawl.dely: unknown key; did you mean crawl.delay?',
      'erace crawl: ERACE_CRAWL_ORDER: expected one of breadth, depth, shallow, random, fifo, importance, focused, walk, not "sideways"',
      'erace crawl: --fetchers: expected a whole number from 1 to 10000, not "0"',
      'erace crawl: 3: not a URL',
      "erace crawl: telnet://a.example/: telnet: can't be crawled, only http, https, file, ftp, ftps, gopher, nntp, nntps",
      '  see erace crawl --help',
      '',
    ])
  })

  test('--json prints an error as one object on standard output', async () => {
    const { code, out, err } = await folder.run(['status', '--json', '--config', 'wrong.json'])
    assert.equal(code, 2)
    assert.equal(err, '')
    const { error } = JSON.parse(out)
    assert.equal(error.code, 'config-invalid')
    assert.match(error.message, /crawl\.dely: unknown key/)
    assert.deepEqual(error.details, [
      { place: 'wrong.json, crawl.dely', message: 'unknown key; did you mean crawl.delay?' },
    ])
  })

  test('a failure prints one line and a hint and exits with 1; invalid input exits with 2', async () => {
    const failing = (error: Error) => ({ engine: { status: () => Promise.reject(error) } })
    const locked = await folder.run(['status'], failing(new AppError('store-locked', 'process 7 uses the folder')))
    assert.equal(locked.code, 1)
    assert.match(locked.err, /^erace status: process 7 uses the folder\n {2}wait for/)
    const invalid = await folder.run(['status'], failing(new AppError('file-invalid', 'line 3 is no media type')))
    assert.equal(invalid.code, 2)
  })

  test('a refusal of the operating system names the path and is no internal error', async () => {
    const refused = (code: string) => Object.assign(new Error(`${code}: refused, mkdir`), { code, path: '/backup/x' })
    const failing = (error: Error) => ({ engine: { status: () => Promise.reject(error) } })
    const denied = await folder.run(['status'], failing(refused('EACCES')))
    assert.deepEqual([denied.code, denied.err], [1, 'erace status: /backup/x: permission denied\n'])
    const full = await folder.run(['status', '--json'], failing(refused('ENOSPC')))
    assert.deepEqual(JSON.parse(full.out), { error: { code: 'store-full', message: '/backup/x: the disk is full' } })
    assert.match((await folder.run(['status'], failing(refused('EINVAL')))).err, /internal error/)
  })

  test('an internal error shows its stack only with debug logging', async () => {
    const engine = { status: () => Promise.reject(new TypeError('x is undefined')) }
    const plain = await folder.run(['status'], { engine })
    assert.equal(plain.code, 1)
    assert.match(plain.err, /^erace status: internal error: x is undefined\n/)
    assert.doesNotMatch(plain.err, /at /)
    const debugged = await folder.run(['status'], { engine, env: { ERACE_LOG_LEVEL: 'debug' } })
    assert.match(debugged.err, /TypeError: x is undefined\n +at /)
    const json = await folder.run(['status', '--json'], { engine })
    assert.deepEqual(JSON.parse(json.out), { error: { code: 'internal', message: 'x is undefined' } })
  })

  test('escape sequences in error messages do not reach the terminal', async () => {
    const engine = { status: () => Promise.reject(new AppError('store-failed', 'bad \u001b[2J name')) }
    assert.ok(!(await folder.run(['status'], { engine })).err.includes('\u001b'))
  })

  test('the data folder comes from --data, then ERACE_DATA, then the default erace-data', async () => {
    const seen: string[] = []
    const engine = {
      crawl: (settings: { folder: string }) => {
        seen.push(settings.folder)
        return Promise.resolve(emptyResult)
      },
    }
    const seed = 'http://a.example/'
    await folder.run(['crawl', seed], { engine })
    await folder.run(['crawl', seed], { engine, env: { ERACE_DATA: '/var/a' } })
    await folder.run(['--data', 'b', 'crawl', seed], { engine, env: { ERACE_DATA: '/var/a' } })
    assert.deepEqual(seen, [`${folder.cwd}/erace-data`, '/var/a', `${folder.cwd}/b`])
  })

  test('the shared store comes from --store or ERACE_STORE and must be a PostgreSQL address', async () => {
    const seen: (string | null)[] = []
    const engine = {
      async listUsers({ store }: { store: string | null }) {
        seen.push(store)
        return []
      },
    }
    await folder.run(['user', 'list'], { engine })
    await folder.run(['user', 'list'], { engine, env: { ERACE_STORE: 'postgres://x/e' } })
    await folder.run(['user', 'list', '--store', 'postgresql://y/e'], {
      engine,
      env: { ERACE_STORE: 'postgres://x/e' },
    })
    assert.deepEqual(seen, [null, 'postgres://x/e', 'postgresql://y/e'])
    const wrong = await folder.run(['user', 'list', '--store', 'mysql://x/'], { engine })
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /--store: must be the address of a PostgreSQL database/)
  })

  test('a command for data folders rejects --store', async () => {
    const { code, err } = await folder.run(['backup', 'x.tar', '--store', 'postgres://x/e'])
    assert.equal(code, 2)
    assert.match(err, /--store: backup only works on a data folder/)
  })
})
