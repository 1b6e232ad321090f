import { once } from 'node:events'
import { connect } from 'node:net'
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { AgentTools, ChannelAgent, SendOutcome, Settings } from './channel-agent.ts'
import { failureText } from './http-outcome.ts'
import { fittedForm } from './render/fitting.ts'
import { messageHtml } from './render/html.ts'
import { oneLine } from './render/lines.ts'
import { type Message, subjectOf, urgencyOf } from './render/message.ts'
import { messageText } from './render/text.ts'
import { isAddress, textOf } from './settings.ts'

/** Some mail programs show no more than 100 KB of HTML. */
const MAX_BODY = 90_000

type MailServer = { host: string; port: number; isSecure: boolean; user: string; password: string; needsTls: boolean }

/** `smtps://user:password@host:465`, or `smtp://…`, which upgrades to TLS if the server offers it, and requires TLS for a password. */
export function readMailServer(text: string): MailServer | null {
  if (!/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return null
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text)
  const isSecure = protocol === 'smtps:'
  if (hostname === '' || (pathname !== '' && pathname !== '/') || (search !== '' && search !== '?tls=no')) return null
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    isSecure,
    user: decoded(username),
    password: decoded(password),
    needsTls: !isSecure && username !== '' && search !== '?tls=no',
  }
}

/** A percent sign that starts no code stands for itself: passwords are often pasted as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    return text
  }
}

export const mail: ChannelAgent = {
  kind: 'email',
  label: 'Email',
  about:
    'Sends mail with text and HTML, one thread for each page. Uses the mail server of this service, or one of yours.',
  digest: { maxItems: 50, rest: 'count' },
  settings: [
    { name: 'to', label: 'To', hint: 'The address of your account, if left empty.', type: 'email' },
    {
      name: 'server',
      label: 'Mail server',
      hint: 'smtps://user:password@mail.example.org. Leave it empty to use that of this service.',
      type: 'secret',
    },
    { name: 'from', label: 'From', hint: 'With a mail server of your own.', type: 'email' },
  ],
  check(settings) {
    const server = textOf(settings, 'server')
    if (server === '') return textOf(settings, 'from') === '' ? null : 'From needs a mail server of your own'
    if (readMailServer(server) === null) return 'a mail server is written as smtps://user:password@mail.example.org'
    return textOf(settings, 'from') === '' ? 'a mail server of your own needs From' : null
  },
  async send(message, settings, tools) {
    const { server, from } = sendingOf(settings, tools)
    if (server === null || !isAddress(from))
      return {
        kind: 'never',
        reason: 'this service has no mail server; an administrator can set mail.server and mail.from',
      }
    const to = textOf(settings, 'to')
    if (!isAddress(to)) return { kind: 'never', reason: 'the address to send to is not one email address' }
    try {
      return await sendBy(server, mailOf(message, { to, from }), tools)
    } catch (error) {
      return outcomeOf(error)
    }
  },
}

/** Limits the total time: a server that sends a little now and then could keep a connection open for ever. */
async function sendBy(server: MailServer, mail: SendMailOptions, tools: AgentTools): Promise<SendOutcome> {
  const { connectMs, answerMs } = tools.limits
  const socket = connect({ host: await tools.resolve(server.host), port: server.port })
  socket.on('error', () => {})
  const late = AbortSignal.timeout(connectMs + answerMs)
  const end = (): void => void socket.destroy(new Error('no answer in time'))
  late.addEventListener('abort', end)
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
    const transport = createTransport({
      connection: socket,
      host: server.host,
      port: server.port,
      secure: server.isSecure,
      requireTLS: server.needsTls,
      tls: { servername: server.host, ...(tools.mailAuthority !== undefined && { ca: tools.mailAuthority }) },
      ...(server.user !== '' && { auth: { user: server.user, pass: server.password } }),
      greetingTimeout: answerMs,
      socketTimeout: answerMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const { response } = await transport.sendMail(mail)
    return { kind: 'delivered', answer: oneLine(response, 300) }
  } finally {
    late.removeEventListener('abort', end)
    socket.destroy()
  }
}

function sendingOf(settings: Settings, { mail: usual }: AgentTools): { server: MailServer | null; from: string } {
  const own = textOf(settings, 'server')
  return own === ''
    ? { server: readMailServer(usual.server), from: usual.from }
    : { server: readMailServer(own), from: textOf(settings, 'from') }
}

function mailOf(message: Message, { to, from }: { to: string; from: string }): SendMailOptions {
  const { id, items, links, kind } = message
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const idOf = (name: string): string => `<${name.replace(/[^\w.-]/g, '.')}@${domain}>`
  const [first] = items
  const thread = kind === 'single' && first !== undefined ? idOf(`erace.thread.${first.thread}`) : null
  return {
    from: { name: 'eRACE', address: from },
    to: { name: '', address: to },
    // An explicit envelope: no header can add a recipient.
    envelope: { from, to: [to] },
    subject: subjectOf(message),
    messageId: idOf(`erace.${id}`),
    ...(thread !== null && { inReplyTo: thread, references: thread }),
    text: fittedForm(message, messageText, MAX_BODY),
    html: fittedForm(message, messageHtml, MAX_BODY),
    date: new Date(message.at),
    ...(urgencyOf(message) === 'urgent' && { priority: 'high' as const }),
    headers: {
      // Keeps auto-responders from answering.
      'Auto-Submitted': 'auto-generated',
      Precedence: 'bulk',
      ...(links.unsubscribe !== null && {
        'List-Unsubscribe': `<${links.unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}

/**
 * A 5xx reply to the sender, the recipient or the text is permanent for this message. Earlier failures may be temporary: the server is
 * busy, or its settings are wrong.
 */
function outcomeOf(error: unknown): SendOutcome {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string }
  const reason = failureText(error)
  const isForGood = responseCode >= 500 && ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command)
  return isForGood ? { kind: 'never', reason } : { kind: 'later', reason }
}
