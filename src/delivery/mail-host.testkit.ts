import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programSkip, runAsRoot } from '../../test/kit/programs.ts'
import { dovecotSkip, startDovecot } from '../fetchers/mail/dovecot.testkit.ts'
import { freePort } from '../store/postgres/testkit/postgres-server.testkit.ts'

export const mailHostSkip =
  dovecotSkip || programSkip(['/usr/sbin/postfix', '/usr/lib/dovecot/lmtp'], 'postfix, dovecot-lmtpd')

export type MailHost = { smtpPort: number; imapPort: number; end(): Promise<void> }

/**
 * A mail host for `example.org` on loopback: Postfix accepts mail over SMTP and passes it to Dovecot over LMTP, which serves it over IMAP.
 * Both keep their files in separate folders; the machine's own mail system, if any, is not touched.
 */
export async function startMailHost(): Promise<MailHost> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-mail-'))
  chmodSync(folder, 0o755)
  const at = (name: string): string => join(folder, name)
  const smtpPort = await freePort()
  const dovecot = await startDovecot({ takesMail: true })
  for (const name of ['postfix', 'queue', 'data']) mkdirSync(at(name), { mode: 0o755 })
  writeFileSync(at('postfix/main.cf'), mainOf(folder, dovecot.lmtp))
  writeFileSync(at('postfix/master.cf'), masterOf(smtpPort))
  await runAsRoot('chown', 'postfix', at('data'))
  // Returns once Postfix is listening.
  await runAsRoot('/usr/sbin/postfix', '-c', at('postfix'), 'start')
  return {
    smtpPort,
    imapPort: dovecot.ports.imap,
    async end() {
      await runAsRoot('/usr/sbin/postfix', '-c', at('postfix'), 'stop')
      await dovecot.end()
      await runAsRoot('rm', '-rf', folder)
    },
  }
}

const mainOf = (folder: string, lmtp: string): string => `
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
virtual_transport = lmtp:unix:${lmtp}
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

/** A minimal IMAP client to look into a mailbox. */
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

  /** Reads up to and including a matching line. */
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
    /** Waits with IDLE until there are `wanted` messages. */
    async await(wanted: number): Promise<void> {
      if (count >= wanted) return
      socket.write('idle IDLE\r\n')
      while (count < wanted) count = Number(/(\d+) EXISTS\r\n$/.exec(await until(/^\* \d+ EXISTS\r\n/m))![1])
      socket.write('DONE\r\n')
      await until(/^idle OK.*\r\n/m)
    },
    /** A part of a mail, not decoded. */
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
