import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../store/postgres/testkit/postgres-server.testkit.ts'

const run = promisify(execFile)
const isThere =
  existsSync('/usr/sbin/postfix') && existsSync('/usr/sbin/dovecot') && existsSync('/usr/lib/dovecot/lmtp')
if (!isThere && process.env.CI)
  throw new Error('postfix and dovecot must be there in CI (Debian packages postfix, dovecot-imapd, dovecot-lmtpd)')

/** Postfix starts as nobody else. */
const asRoot: readonly string[] = process.getuid?.() === 0 ? [] : ['sudo', '-n']
const isAllowed = asRoot.length === 0 || spawnSync('sudo', ['-n', 'true']).status === 0

export const mailHostSkip: string | false = !isThere
  ? 'there is no Postfix or no Dovecot (Debian packages postfix, dovecot-imapd, dovecot-lmtpd)'
  : isAllowed
    ? false
    : 'Postfix can be started by root alone'

export type MailHost = { smtpPort: number; imapPort: number; end(): Promise<void> }

/**
 * A mail host for `example.org` on loopback: Postfix takes mail by SMTP and hands it to Dovecot by LMTP, which has it for readers by IMAP.
 * Both have their files in a folder of their own; the machine's own mail, if it has any, is left alone.
 */
export async function startMailHost(): Promise<MailHost> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-mail-'))
  chmodSync(folder, 0o755)
  const at = (name: string): string => join(folder, name)
  const [smtpPort, imapPort] = [await freePort(), await freePort()]
  for (const name of ['postfix', 'queue', 'data', 'dovecot', 'mail']) mkdirSync(at(name), { mode: 0o755 })
  writeFileSync(at('postfix/main.cf'), mainOf(folder))
  writeFileSync(at('postfix/master.cf'), masterOf(smtpPort))
  writeFileSync(at('dovecot/conf'), dovecotOf(folder, imapPort))
  const root = (program: string, ...given: string[]) => {
    const [first, ...rest] = [...asRoot, program, ...given]
    return run(first!, rest, { timeout: 60_000 })
  }
  await root('chown', 'postfix', at('data'))
  await root('chown', 'dovecot', at('mail'))
  const [first, ...rest] = [...asRoot, '/usr/sbin/dovecot', '-F', '-c', at('dovecot/conf')]
  const dovecot = spawn(first!, rest, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(dovecot, 'close')
  let log = ''
  dovecot.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-100_000)
  })
  while (!log.includes('starting up')) {
    if (dovecot.exitCode !== null) throw new Error(`dovecot did not start: ${log}`)
    await Promise.race([once(dovecot.stderr, 'data'), ended])
  }
  // It comes back when Postfix listens.
  await root('/usr/sbin/postfix', '-c', at('postfix'), 'start')
  return {
    smtpPort,
    imapPort,
    async end() {
      await root('/usr/sbin/postfix', '-c', at('postfix'), 'stop')
      await root('/usr/bin/doveadm', '-c', at('dovecot/conf'), 'stop')
      await ended
      await root('rm', '-rf', folder)
    },
  }
}

const mainOf = (folder: string): string => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.org
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = example.org
virtual_transport = lmtp:unix:${folder}/dovecot/lmtp
smtpd_relay_restrictions = reject_unauth_destination
`

const masterOf = (port: number): string => `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`

const dovecotOf = (folder: string, port: number): string => `
base_dir = ${folder}/dovecot/run
state_dir = ${folder}/dovecot/state
log_path = /dev/stderr
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail/%n
first_valid_uid = 1
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=${folder}/mail/%n allow_all_users=yes
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  unix_listener ${folder}/dovecot/lmtp {
    mode = 0666
  }
}
`

/** As much of IMAP as it takes to look into a mailbox. */
export async function openMailbox(port: number, user: string) {
  const socket = connect(port, '127.0.0.1')
    .setEncoding('latin1')
    .setTimeout(60_000, () => socket.destroy())
  let text = ''
  let isOver = false
  let wake = (): void => {}
  socket.on('data', (piece: string) => {
    text += piece
    wake()
  })
  socket.on('close', () => {
    isOver = true
    wake()
  })

  /** All that came up to a line, and that line. */
  async function until(line: RegExp): Promise<string> {
    for (;;) {
      const found = line.exec(text)
      if (found !== null) {
        const end = found.index + found[0].length
        const before = text.slice(0, end)
        text = text.slice(end)
        return before
      }
      if (isOver) throw new Error(`the line closed: ${text}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  let tags = 0
  async function ask(command: string): Promise<string> {
    const tag = `t${++tags}`
    socket.write(`${tag} ${command}\r\n`)
    const answer = await until(new RegExp(`^${tag} (?:OK|NO|BAD).*\r\n`, 'm'))
    if (!new RegExp(`^${tag} OK`, 'm').test(answer)) throw new Error(`${command}: ${answer}`)
    return answer
  }

  await until(/^\* OK.*\r\n/)
  await ask(`LOGIN ${user} secret`)
  const selected = await ask('SELECT INBOX')
  let count = Number(/^\* (\d+) EXISTS/m.exec(selected)?.[1])
  return {
    ask,
    /** Waits, as mail programs do, until there are so many. */
    async await(wanted: number): Promise<void> {
      if (count >= wanted) return
      socket.write('idle IDLE\r\n')
      while (count < wanted) count = Number(/(\d+) EXISTS\r\n$/.exec(await until(/^\* \d+ EXISTS\r\n/m))![1])
      socket.write('DONE\r\n')
      await until(/^idle OK.*\r\n/m)
    },
    /** A part of a mail, as it is. */
    async fetch(mail: number, part: string): Promise<string> {
      const answer = await ask(`FETCH ${mail} BODY.PEEK[${part}]`)
      const literal = /\{(\d+)\}\r\n/.exec(answer)
      if (literal === null) throw new Error(`no part ${part}: ${answer}`)
      const start = literal.index + literal[0].length
      return Buffer.from(answer.slice(start, start + Number(literal[1])), 'latin1').toString('utf8')
    },
    async close(): Promise<void> {
      socket.end('bye LOGOUT\r\n')
      if (!isOver) await once(socket, 'close')
    },
  }
}
