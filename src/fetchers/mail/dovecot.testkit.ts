import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { asRoot, programSkip, rootSkip, runAsRoot } from '../../../test/kit/programs.ts'
import { systemClock } from '../../core/clock.ts'
import { selfSigned } from '../../crawl/fetch/certificate.testkit.ts'
import type { List, Place, ProtocolLimits, Session } from '../../crawl/fetch/protocol.ts'
import { freePorts } from '../../store/postgres/testkit/postgres-server.testkit.ts'

export const dovecotSkip =
  programSkip(
    ['/usr/sbin/dovecot', '/usr/lib/dovecot/imap', '/usr/lib/dovecot/pop3'],
    'dovecot-imapd, dovecot-pop3d',
  ) || rootSkip

/** The name in the certificate; `placeAt` resolves it to 127.0.0.1. */
export const mailHostName = 'mail.example.org'

export type Dovecot = {
  ports: { imap: number; imaps: number; pop3: number; pop3s: number }
  /** The self-signed certificate. */
  ca: string
  /** Path of the socket where it accepts mail, with `takesMail`. */
  lmtp: string
  /** Delivers a message to a user's mailbox. Line ends become CRLF. */
  deliver(user: string, message: string | Buffer, mailbox?: string): Promise<void>
  doveadm(...given: string[]): Promise<string>
  /** Waits for the next matching line of the log. */
  nextLog(line: RegExp): Promise<RegExpExecArray>
  /** All matching lines, once there are `count`; `line` must be a global expression. */
  allLogs(line: RegExp, count: number): Promise<RegExpExecArray[]>
  end(): Promise<void>
}

/**
 * A private Dovecot on loopback. Every user has the password `secret`; mailboxes are created on delivery. With `takesMail`, it accepts
 * mail over LMTP.
 */
export async function startDovecot({ takesMail = false } = {}): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-dovecot-'))
  chmodSync(folder, 0o755)
  const at = (name: string): string => join(folder, name)
  mkdirSync(at('mail'))
  const { key, cert } = selfSigned(mailHostName)
  writeFileSync(at('key.pem'), key)
  writeFileSync(at('cert.pem'), cert)
  const [imap, imaps, pop3, pop3s] = (await freePorts(4)) as [number, number, number, number]
  const ports = { imap, imaps, pop3, pop3s }
  writeFileSync(at('conf'), configOf(folder, ports) + (takesMail ? lmtpOf(at('lmtp')) : ''))
  const doveadm = (...given: string[]) => runAsRoot('/usr/bin/doveadm', '-c', at('conf'), ...given)
  await runAsRoot('chown', 'dovecot', at('mail'))
  const [first, ...rest] = [...asRoot!, '/usr/sbin/dovecot', '-F', '-c', at('conf')]
  const dovecot = spawn(first!, rest, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(dovecot, 'close')
  let log = ''
  let isOver = false
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const each of waiting) each()
  }
  dovecot.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
    wake()
  })
  dovecot.on('close', () => {
    isOver = true
    wake()
  })

  async function logged<T>(look: () => T | null): Promise<T> {
    for (;;) {
      const found = look()
      if (found !== null) return found
      if (isOver) throw new Error(`Dovecot ended: ${log.slice(-5000)}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      await promise
      waiting.delete(resolve)
    }
  }

  await logged(() => /starting up/.exec(log))
  return {
    ports,
    ca: cert,
    lmtp: at('lmtp'),
    async nextLog(line) {
      const from = log.length
      return await logged(() => line.exec(log.slice(from)))
    },
    allLogs: (line, count) =>
      logged(() => {
        const found = [...log.matchAll(line)]
        return found.length >= count ? found : null
      }),
    doveadm,
    async deliver(user, message, mailbox = 'INBOX') {
      const file = at(`message-${Math.random().toString(36).slice(2)}`)
      writeFileSync(file, typeof message === 'string' ? message.replaceAll(/\r?\n/g, '\r\n') : message)
      await doveadm('mailbox', 'create', '-u', user, mailbox).catch(() => {})
      await doveadm('save', '-u', user, '-m', mailbox, file)
    },
    async end() {
      await doveadm('stop')
      await ended
      await runAsRoot('rm', '-rf', folder)
    },
  }
}

const configOf = (folder: string, ports: Dovecot['ports']): string => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = /dev/stderr
protocols = imap pop3
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:${folder}/mail/%n
first_valid_uid = 1
mail_max_userip_connections = 50
imap_logout_format = in=%i out=%o hdr_count=%{fetch_hdr_count} body_count=%{fetch_body_count} body_bytes=%{fetch_body_bytes}
pop3_logout_format = top=%t/%p retr=%r/%b del=%d/%m
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=${folder}/mail/%n allow_all_users=yes
}
# Without it, a wrong password slows down everybody on this machine.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
service pop3-login {
  chroot =
  inet_listener pop3 {
    port = ${ports.pop3}
  }
  inet_listener pop3s {
    port = ${ports.pop3s}
    ssl = yes
  }
}
`

const lmtpOf = (socket: string): string => `
protocols = $protocols lmtp
service lmtp {
  unix_listener ${socket} {
    mode = 0666
  }
}
`

/** One server for all tests of a suite. */
export function useDovecot(): () => Dovecot {
  let dovecot: Dovecot | undefined
  before(async () => {
    dovecot = await startDovecot()
  })
  after(() => dovecot?.end())
  return () => dovecot!
}

/** A visit, and Dovecot's transfer counts: the numbers in the matching line of its log. */
export async function countedVisit<T>(
  dovecot: Dovecot,
  open: () => Promise<Session>,
  line: RegExp,
  task: (session: Session) => Promise<T>,
): Promise<{ result: T; counts: number[] }> {
  const session = await open()
  const logged = dovecot.nextLog(line)
  try {
    const result = await task(session)
    await session.close()
    return { result, counts: (await logged).slice(1).map(Number) }
  } finally {
    await session.close()
  }
}

export async function listAt(session: Session, cursor = ''): Promise<List> {
  const found = await session.look(cursor)
  if (found.kind !== 'list') throw new Error('a list was expected')
  return found
}

export const testLimits: ProtocolLimits = {
  connectTimeoutMs: 20_000,
  stallTimeoutMs: 20_000,
  maxBodyBytes: 1_000_000,
  maxItems: 1000,
}

/** A place on this machine, for any host name. */
export function placeAt(
  url: string,
  given: { user?: string; password?: string; limits?: Partial<ProtocolLimits>; signal?: AbortSignal } = {},
): Place {
  return {
    url,
    secret: { user: given.user ?? 'ann', password: given.password ?? 'secret' },
    resolve: async () => '127.0.0.1',
    signal: given.signal ?? new AbortController().signal,
    limits: { ...testLimits, ...given.limits },
    clock: systemClock,
  }
}
