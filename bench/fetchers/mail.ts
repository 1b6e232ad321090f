import { once } from 'node:events'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { ImapFlow } from 'imapflow'
import { type Dovecot, dovecotSkip, mailHostName, startDovecot } from '../../src/fetchers/mail/dovecot.testkit.ts'
import { createImapProtocol } from '../../src/fetchers/mail/imap.ts'
import { createPop3Protocol } from '../../src/fetchers/mail/pop3.ts'
import { type Arena, type Read, readAll } from './contest.ts'
import { createLineClient } from './line-client.ts'
import { mailOf } from './samples.ts'

const secret = { user: 'ann', password: 'secret' }

/** A mailbox on Dovecot, over TLS for all clients. */
export async function openMail(messages: number): Promise<Arena> {
  if (dovecotSkip !== false) return { missing: dovecotSkip }
  const dovecot = await startDovecot()
  // Trusted globally, for all clients alike: a CA passed with each connection costs time each time.
  setDefaultCACertificates([...getCACertificates(), dovecot.ca])
  await fill(dovecot, messages)
  const { imaps, pop3s } = dovecot.ports
  const options = { newestMessages: messages }
  const [imap, pop3] = [createImapProtocol(options), createPop3Protocol(options)]
  const given = { secret, limits: { maxItems: messages } }
  return {
    contests: [
      {
        name: 'IMAP',
        items: messages,
        ours: () => readAll(imap, `imaps://${mailHostName}:${imaps}/INBOX`, given),
        plain: { 'imapflow, one FETCH': () => fetchPlainly(imaps) },
      },
      {
        name: 'POP3',
        items: messages,
        ours: () => readAll(pop3, `pop3s://${mailHostName}:${pop3s}/`, given),
        plain: { 'socket, pipelined RETR': () => retrievePlainly(pop3s) },
      },
    ],
    async close() {
      await imap.close()
      await pop3.close()
      await dovecot.end()
    },
  }
}

async function withFlow<T>(port: number, work: (flow: ImapFlow) => Promise<T>): Promise<T> {
  const flow = new ImapFlow({
    ...{ host: '127.0.0.1', port, secure: true, servername: mailHostName, logger: false, disableAutoIdle: true },
    auth: { user: secret.user, pass: secret.password },
  })
  await flow.connect()
  try {
    return await work(flow)
  } finally {
    await flow.logout()
  }
}

async function fill({ ports }: Dovecot, messages: number): Promise<void> {
  await withFlow(ports.imaps, async (flow) => {
    for (let n = 0; n < messages; n++) await flow.append('INBOX', mailOf(n))
  })
}

const fetchPlainly = (port: number): Promise<Read> =>
  withFlow(port, async (flow) => {
    await flow.mailboxOpen('INBOX', { readOnly: true })
    const read = { items: 0, bytes: 0 }
    for await (const { source } of flow.fetch('1:*', { source: true })) {
      read.items++
      read.bytes += source!.length
    }
    return read
  })

async function retrievePlainly(port: number): Promise<Read> {
  const socket = connect({ host: '127.0.0.1', port, servername: mailHostName })
  await once(socket, 'secureConnect')
  const client = createLineClient(socket)
  await client.line()
  await client.ask(`USER ${secret.user}`)
  await client.ask(`PASS ${secret.password}`)
  await client.ask('UIDL')
  const ids = (await client.block()).toString('latin1').split('\r\n')
  const read = await client.readBlocks(ids.map((line) => `RETR ${line.split(' ')[0]}`))
  await client.end()
  return read
}
