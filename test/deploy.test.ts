import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { readSources } from '../scripts/source-imports.ts'
import { parseArgs } from '../src/cli/args/parse-args.ts'
import { useCliFolder } from '../src/cli/cli.testkit.ts'
import { commonOptions } from '../src/cli/command.ts'
import { loadCommands } from '../src/cli/commands.ts'
import { readConfig } from '../src/config/load-config.ts'
import { environmentName, settingKeys } from '../src/config/schema.ts'
import { createDatabase, usePostgres } from '../src/store/postgres/testkit/postgres.testkit.ts'

usePostgres({ own: true })

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'deploy')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const guides = ['deploy/README.md', 'docs/cluster.md', 'docs/scale.md']
const deployed = globSync('deploy/**/*', { cwd: root, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
const texts = [...deployed, 'deploy/.gitignore', ...guides.slice(1)].map((path) => ({ path, text: read(path) }))

const commands = await loadCommands()
const address = 'postgres://erace:SECRET@db.example.org/erace'

type Service = {
  image: string
  command?: string[]
  depends_on?: unknown
  healthcheck?: { test: string[] }
  restart?: string
  networks?: string[]
  volumes?: string[]
  env_file?: string
  deploy?: { resources: { limits: { cpus: string; memory: string } } }
  stop_grace_period?: string
}
type Compose = { services: Record<string, Service>; networks: object; volumes: object }
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose

/** Command lines in code blocks, without shell comments. */
function commandLines(text: string): string[] {
  const called = /^ {4}(?:docker compose exec \S+ )?(?:npx )?(?:erace|node bin\/erace\.js)(?: (.*))?$/gm
  return [...text.matchAll(called)].map(([, rest = '']) => rest.replace(/\s+#.*$/, '').trim())
}

/** Commands in sentences, where arguments may be left out. */
function namedCommands(text: string): string[] {
  return [...text.matchAll(/`erace ([a-z][^`]*)`/g)].map(([, rest]) => rest!)
}

describe('the deployment files', () => {
  const cli = useCliFolder()

  test('every command line in the guides is valid', async () => {
    const lines = guides.flatMap((path) => commandLines(read(path)))
    assert.ok(lines.length >= 15, 'the guides have lost their command lines')
    for (const line of lines) {
      const env = { ERACE_STORE: line.includes('--from') ? '' : address, ERACE_PASSWORD: 'a long enough password' }
      const argv = line.split(' ')
      const { code, err } = await cli.run(argv, { env })
      // Valid commands fail later, as there is no engine here.
      assert.notEqual(code, 2, `erace ${line}: ${err}`)
    }
  })

  test('every command and option named in the text exists', () => {
    for (const path of guides)
      for (const words of namedCommands(read(path))) {
        const [name, ...rest] = words.split(' ')
        const command = commands.find((each) => each.name === name)
        assert.ok(command !== undefined, `${path}: erace ${words}`)
        const { errors } = parseArgs(rest, [...command.options, ...commonOptions])
        const unknown = errors.filter(({ message }) => !message.startsWith('needs a value'))
        assert.deepEqual(unknown, [], `${path}: erace ${words}`)
      }
  })

  test('the image, services and units run commands that work on a shared store', () => {
    const image = /^CMD \["(\w+)"\]$/m.exec(read('deploy/Dockerfile'))?.[1]
    const composed = Object.values(compose.services).filter(({ image }) => image.startsWith('erace:'))
    const units = deployed.flatMap((path) => /^ExecStart=.*erace\.js (.+)$/m.exec(read(path))?.[1] ?? [])
    const started = [image, ...composed.map(({ command }) => command?.join(' ')), ...units]
    assert.deepEqual(new Set(started), new Set(['serve', 'worker']))
    for (const name of ['serve', 'worker'])
      assert.equal(commands.find((each) => each.name === name)?.works, 'on a shared store')
  })

  test('every setting named in the files exists', () => {
    const own = [
      'ERACE_STORE',
      'ERACE_DATA',
      'ERACE_ADMIN_EMAIL',
      'ERACE_ADMIN_PASSWORD',
      'ERACE_PASSWORD',
      'ERACE_TEST_CITUS',
    ]
    const names = new Set([...own, ...settingKeys.map(environmentName)])
    const sections = new Set(settingKeys.map((key) => key.split('.')[0]!))
    for (const { path, text } of texts) {
      for (const [name] of text.matchAll(/\bERACE_[A-Z_]+/g)) assert.ok(names.has(name), `${path}: ${name}`)
      for (const [, key, section] of text.matchAll(/`(([a-z]+)\.[a-zA-Z]+)`/g))
        assert.ok(!sections.has(section!) || settingKeys.some((known) => known === key), `${path}: ${key}`)
    }
  })

  test('the example settings are valid', async () => {
    const lines = read('deploy/erace.env.example').split('\n')
    const entries = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2))
    const env = Object.fromEntries(entries) as Record<string, string>
    const { config, errors } = await readConfig({ file: undefined, cwd: folder, env, overrides: [] })
    assert.deepEqual(errors, [])
    assert.equal(config.cluster.leaseMs, 15_000)
    const database = new Map(
      read('deploy/db.env.example')
        .split('\n')
        .map((line): [string, string] => [line.split('=')[0]!, line.split('=')[1] ?? '']),
    )
    const store = new URL(env.ERACE_STORE!)
    assert.equal(store.username, database.get('POSTGRES_USER'))
    assert.equal(store.password, database.get('POSTGRES_PASSWORD'))
    assert.equal(store.pathname, `/${database.get('POSTGRES_DB')}`)
    assert.ok(store.hostname in compose.services)
  })

  test('every Prometheus metric named in the guides exists', () => {
    const metrics = read('src/server/metrics.ts')
    for (const path of guides)
      for (const [, name] of read(path).matchAll(/`(erace_[a-z_]+)`/g))
        assert.ok(metrics.includes(name!), `${path}: ${name}`)
  })

  test('every link in the guides works', () => {
    for (const path of guides)
      for (const [, target, , anchor] of read(path).matchAll(/\]\(([^)#:]*)(#([^)]+))?\)/g)) {
        const file = join(root, dirname(path), target!)
        assert.ok(existsSync(file), `${path}: ${target}`)
        if (anchor === undefined) continue
        const heads = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, head]) => anchorOf(head!))
        assert.ok(heads.includes(anchor), `${path}: ${target}#${anchor}`)
      }
  })
})

const anchorOf = (head: string): string =>
  head
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

describe('the compose file', () => {
  test('refers only to services, networks, volumes and files that exist', () => {
    const { services } = compose
    const uses = Object.values(services)
    const names = new Set(Object.keys(services))
    for (const [name, service] of Object.entries(services)) {
      const after = service.depends_on ?? []
      for (const other of Array.isArray(after) ? after : Object.keys(after)) assert.ok(names.has(other), name)
      for (const network of service.networks ?? []) assert.ok(network in compose.networks, `${name}: ${network}`)
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':')
        const isThere = source.startsWith('.') ? existsSync(join(folder, source)) : source in compose.volumes
        assert.ok(isThere, `${name}: ${volume}`)
      }
      if (service.env_file !== undefined) assert.ok(existsSync(join(folder, `${service.env_file}.example`)), name)
    }
    const upstreams = [...read('deploy/Caddyfile').matchAll(/(\S+):7070/g)].map(([, name]) => name!)
    assert.deepEqual(upstreams, ['serve-1', 'serve-2'])
    for (const name of upstreams) assert.ok(names.has(name))
    assert.equal(uses.filter(({ command }) => command?.[0] === 'serve').length, upstreams.length)
  })

  test('restarts and limits every service, and health-checks the servers', () => {
    for (const [name, { restart, deploy, healthcheck, command, stop_grace_period }] of Object.entries(
      compose.services,
    )) {
      assert.equal(restart, 'unless-stopped', name)
      assert.match(deploy?.resources.limits.memory ?? '', /^\d+[mg]$/, name)
      assert.match(deploy?.resources.limits.cpus ?? '', /^\d+$/, name)
      if (command === undefined) continue
      assert.ok(stop_grace_period !== undefined, name)
      if (command[0] !== 'worker') assert.ok(healthcheck !== undefined, name)
    }
  })
})

describe('the image', () => {
  const dockerfile = read('deploy/Dockerfile')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) => names!.split(' '))

  test('is built from files that exist and are in the build context', () => {
    const seen = [...read('deploy/Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(([, name]) => name!)
    for (const name of copied) {
      assert.ok(existsSync(join(root, name)), name)
      assert.ok(seen.includes(name), `${name} is hidden from the build`)
    }
    assert.deepEqual(
      seen.filter((name) => !copied.includes(name)),
      [],
    )
  })

  test('contains every package the program imports', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    const missing = readSources(root, ['src', 'bin'])
      .filter(({ path }) => !/\.(?:test|testkit)\.ts$|\.d\.ts$/.test(path))
      .flatMap(({ path, imports }) => imports.map(({ target }) => ({ path, target })))
      .filter(({ target }) => !/^(?:node:|src\/|bin\/|file:)/.test(target) && !builtinModules.includes(target))
      .map(({ path, target }) => ({
        path,
        name: target
          .split('/')
          .slice(0, target.startsWith('@') ? 2 : 1)
          .join('/'),
      }))
      .filter(({ name }) => !(name in dependencies))
    assert.deepEqual(missing, [])
  })

  test('does not run as root', () => {
    const users = [...dockerfile.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user)
    assert.deepEqual(users, ['node'])
  })
})

describe('the systemd units', () => {
  const units = deployed.filter((path) => /\.(?:service|timer)$/.test(path))
  const hasProgram = spawnSync('systemd-analyze', ['--version']).status === 0
  const skip = hasProgram ? false : 'systemd-analyze is not installed'

  test('are accepted by systemd', { skip }, () => {
    const files = units.map((path) => join(root, path))
    const { stderr, stdout } = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', ...files], {
      encoding: 'utf8',
    })
    // The program may be installed elsewhere on this machine.
    const output = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !/is not executable/.test(line))
    assert.deepEqual(output, [])
  })

  test('let workers finish in-flight requests', async () => {
    const { config } = await readConfig({ file: undefined, cwd: folder, env: {}, overrides: [] })
    const stop = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/systemd/erace-worker@.service'))?.[1]
    assert.ok(Number(stop) * 1000 > config.crawl.totalTimeoutMs)
    const grace = /^(\d+)s$/.exec(compose.services.worker?.stop_grace_period ?? '')?.[1]
    assert.ok(Number(grace) * 1000 > config.crawl.totalTimeoutMs)
  })

  test('allow just-in-time compilation', () => {
    for (const path of units) assert.doesNotMatch(read(path), /^MemoryDenyWriteExecute/m, path)
  })
})

describe('the database settings', () => {
  const lines = read('deploy/postgresql/erace.conf').split('\n')
  const settings = lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.split(' = ') as [string, string])

  test('are accepted by PostgreSQL', async () => {
    const { pool, destroy } = await createDatabase()
    try {
      const rows = await pool.query<{ name: string }>('SELECT name FROM pg_settings')
      const known = new Set(rows.map(({ name }) => name))
      assert.deepEqual(
        settings.filter(([name]) => !known.has(name)),
        [],
      )
      for (const [name, value] of settings) {
        await pool.query(`ALTER SYSTEM SET ${name} = '${value}'`)
        await pool.query(`ALTER SYSTEM RESET ${name}`)
      }
    } finally {
      await destroy()
    }
  })
})
