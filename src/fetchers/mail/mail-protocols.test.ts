import { after } from 'node:test'
import type { Protocol } from '../../crawl/fetch/protocol.ts'
import { type ProtocolWorld, testProtocol } from '../protocol-suite.testkit.ts'
import { type Dovecot, dovecotSkip, mailHostName, startDovecot } from './dovecot.testkit.ts'
import { createImapProtocol } from './imap.ts'
import { createPop3Protocol } from './pop3.ts'

let started: Promise<Dovecot> | undefined
let users = 0

after(async () => {
  await (await started)?.end()
})

type Kind = {
  scheme: 'imap' | 'imaps' | 'pop3' | 'pop3s'
  create: typeof createImapProtocol
  path: string
  missing: string
  /** Matches Dovecot's log line at the end of a session, with the number of bodies sent. */
  bodiesIn(user: string): RegExp
}

async function world({ scheme, create, path, missing, bodiesIn }: Kind): Promise<ProtocolWorld> {
  started ??= startDovecot()
  const dovecot = await started
  const user = `user${++users}`
  const protocol = create({ ca: dovecot.ca })
  let sessions = 0
  const counted: Protocol = {
    ...protocol,
    async open(place) {
      const session = await protocol.open(place)
      sessions++
      return session
    },
  }
  const origin = `${scheme}://${mailHostName}:${dovecot.ports[scheme]}`
  await dovecot.doveadm('mailbox', 'create', '-u', user, 'INBOX').catch(() => {})
  return {
    protocol: counted,
    url: origin + path,
    missingUrl: origin + missing,
    secret: { user, password: 'secret' },
    wrongSecret: { user, password: 'not-the-password' },
    put: (name, text) =>
      dovecot.deliver(user, `From: a@example.org\nMessage-ID: <${name}@example.org>\nSubject: ${name}\n\n${text}\n`),
    async moved() {
      const ends = await dovecot.allLogs(bodiesIn(user), sessions)
      return ends.reduce((sum, [, bodies]) => sum + Number(bodies), 0)
    },
    close: async () => {},
  }
}

const imap = {
  create: createImapProtocol,
  path: '/INBOX',
  missing: '/Missing',
  bodiesIn: (user: string) => new RegExp(`imap\\(${user}\\).*body_count=(\\d+)`, 'g'),
}
const pop3 = {
  create: createPop3Protocol,
  path: '/',
  missing: '/;UIDL=missing',
  bodiesIn: (user: string) => new RegExp(`pop3\\(${user}\\).*retr=(\\d+)/`, 'g'),
}

const lacks = { changes: 'messages never change', removals: 'a message that is deleted was news all the same' }
testProtocol('IMAP with STARTTLS', () => world({ scheme: 'imap', ...imap }), { skip: dovecotSkip, lacks })
testProtocol('POP3 with STLS', () => world({ scheme: 'pop3', ...pop3 }), {
  skip: dovecotSkip,
  lacks: { ...lacks, push: 'a server speaks when it is asked' },
})
