import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programSkip } from '../../../test/kit/programs.ts'
import { selfSigned } from '../../crawl/fetch/certificate.testkit.ts'
import { freePorts } from '../../store/postgres/testkit/postgres-server.testkit.ts'

const run = promisify(execFile)
const programs = '/usr/lib/news/bin'
export const newsServerSkip = programSkip([`${programs}/innd`, `${programs}/nnrpd`], 'inn2')

export type NewsServer = {
  port: number
  /** Implicit TLS. */
  securePort: number
  /** Self-signed, for `localhost`. */
  certificate: string
  post(article: {
    id: string
    subject: string
    group?: string
    body?: string
    headers?: readonly string[]
  }): Promise<void>
  control(...command: string[]): Promise<void>
  end(): Promise<void>
}

export const user = { user: 'reader', password: 'pass word, secret' }

/** Anyone may read `open.group`; `closed.group` requires signing in. */
const groups = ['open.group', 'closed.group']

/** INN with its files in its own folder. Under root it runs as the user `news`, since INN never runs as root. */
export async function startNewsServer({ port: wanted }: { port?: number } = {}): Promise<NewsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-news-'))
  const at = (name: string): string => join(folder, name)
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? await idsOf('news') : { uid: process.getuid!(), gid: process.getgid!() }
  const [free, securePort] = (await freePorts(2)) as [number, number]
  const port = wanted ?? free
  const { key, cert } = selfSigned('localhost')
  const files: readonly [name: string, text: string][] = [
    ['etc/inn.conf', settings(folder, port, isRoot ? 'news' : userInfo().username)],
    ['etc/storage.conf', 'method tradspool {\n newsgroups: *\n class: 0\n}\n'],
    ['etc/incoming.conf', 'peer ME {\n hostname: "localhost, 127.0.0.1"\n}\n'],
    ['etc/newsfeeds', 'ME:!*::\n'],
    ['etc/expire.ctl', '/remember/:11\n*:A:1:10:never\n'],
    ['etc/readers.conf', readers(folder)],
    ['etc/users', `${user.user}:${await crypted(user.password)}\n`],
    ['etc/cert.pem', cert],
    ['etc/key.pem', key],
    ['db/active', groups.map((group) => `${group} 0000000000 0000000001 y\n`).join('') + internal],
    ['db/newsgroups', ''],
    ['db/active.times', ''],
    ['db/history', ''],
  ]
  const folders = [
    'etc',
    'etc/filter',
    'db',
    'log',
    'run',
    'spool',
    'spool/articles',
    'spool/overview',
    'spool/incoming',
  ]
  for (const name of [...folders, 'spool/incoming/tmp', 'spool/outgoing', 'spool/archive']) mkdirSync(at(name))
  for (const [name, text] of files) writeFileSync(at(name), text)
  await run('chown', ['-R', `${owner.uid}:${owner.gid}`, folder])
  chmodSync(at('etc/key.pem'), 0o600)
  const options = { ...owner, cwd: folder, env: { ...process.env, INNCONF: at('etc/inn.conf') } }
  const program = (name: string, ...given: string[]) =>
    run(join(programs, name), given, { ...options, timeout: 60_000 })
  await program('makedbz', '-i', '-o', '-s', '10000')

  const innd = spawn(join(programs, 'innd'), ['-f', '-P', String(port)], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const reader = spawn(join(programs, 'nnrpd'), ['-f', '-D', '-S', '-p', String(securePort)], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const started = [innd, reader].map((each) => {
    for (const stream of [each.stdout, each.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-20_000)
      })
    return { each, closed: once(each, 'close') }
  })
  for (const [{ each }, listening] of [
    [started[0]!, port],
    [started[1]!, securePort],
  ] as const)
    while (!(await answers(listening))) if (each.exitCode !== null) throw new Error(`INN did not start: ${log}`)

  return {
    port,
    securePort,
    certificate: cert,
    async post({ id, subject, group = 'open.group', body = 'Text.', headers = [] }) {
      const lines = [
        'From: Poster <poster@example.org>',
        `Newsgroups: ${group}`,
        `Subject: ${subject}`,
        `Message-ID: ${id}`,
        ...headers,
        '',
        body,
      ]
      await postArticle(port, lines.join('\r\n'))
    },
    async control(...command) {
      await program('ctlinnd', '-t', '30', ...command)
    },
    async end() {
      // A signal would only take effect on the next connection.
      await program('ctlinnd', '-t', '30', 'shutdown', 'end of test')
      reader.kill('SIGTERM')
      for (const { closed } of started) await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const internal =
  'control 0000000000 0000000001 n\ncontrol.cancel 0000000000 0000000001 n\njunk 0000000000 0000000001 n\n'

const settings = (folder: string, port: number, owner: string): string => `
mta: "/bin/true %s"
pathhost: news.example.org
domain: example.org
hismethod: hisv6
ovmethod: tradindexed
enableoverview: true
runasuser: ${owner}
runasgroup: ${owner}
bindaddress: 127.0.0.1
port: ${port}
nnrpdpostport: ${port}
nnrpdloadlimit: 0
pathnews: /usr/lib/news
pathbin: ${programs}
pathetc: ${folder}/etc
pathfilter: ${folder}/etc/filter
pathdb: ${folder}/db
pathlog: ${folder}/log
pathrun: ${folder}/run
pathspool: ${folder}/spool
patharticles: ${folder}/spool/articles
pathoverview: ${folder}/spool/overview
pathincoming: ${folder}/spool/incoming
pathtmp: ${folder}/spool/incoming/tmp
pathoutgoing: ${folder}/spool/outgoing
patharchive: ${folder}/spool/archive
docancels: none
icdsynccount: 1
doinnwatch: false
tlscertfile: ${folder}/etc/cert.pem
tlskeyfile: ${folder}/etc/key.pem
`

const readers = (folder: string): string => `
auth everybody {
  hosts: "*"
  auth: "ckpasswd -f ${folder}/etc/users"
  default: "<anybody>"
}
access open {
  users: "<anybody>"
  read: "open.*"
  post: "*"
  access: RPA
}
access members {
  users: "reader*"
  newsgroups: "*"
  access: RPA
}
`

async function idsOf(name: string): Promise<{ uid: number; gid: number }> {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`))
  const [, , uid, gid] = line!.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

async function crypted(password: string): Promise<string> {
  const { stdout } = await run('openssl', ['passwd', '-6', password])
  return stdout.trim()
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    await new Promise((resolve) => setImmediate(resolve))
    return false
  } finally {
    socket.destroy()
  }
}

/** Posts an article, as news clients do. */
export async function postArticle(port: number, article: string): Promise<void> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  const replies = socket[Symbol.asyncIterator]()
  let text = ''
  const expect = async (code: string): Promise<void> => {
    while (!text.includes('\r\n')) {
      const { value, done } = (await replies.next()) as { value: string; done?: boolean }
      if (done) throw new Error(`the line closed: ${text}`)
      text += value
    }
    const line = text.slice(0, text.indexOf('\r\n'))
    text = text.slice(line.length + 2)
    if (!line.startsWith(code)) throw new Error(`${code} was expected: ${line}`)
  }
  try {
    await expect('200')
    socket.write('MODE READER\r\n')
    await expect('200')
    socket.write('POST\r\n')
    await expect('340')
    socket.write(Buffer.from(`${article.replace(/^\./gm, '..')}\r\n.\r\n`, 'utf8'))
    await expect('240')
  } finally {
    socket.destroy()
  }
}
