import { spawn } from 'node:child_process'
import type { ChannelAgent, SendOutcome } from './channel-agent.ts'
import { messageJson } from './render/json.ts'
import { oneLine } from './render/lines.ts'
import { linkOf, type Message, nameOf, subjectOf } from './render/message.ts'
import { textOf } from './settings.ts'

const MAX_OUTPUT = 4096
/** Exit status for "try again later" (EX_TEMPFAIL), as sendmail and others use it. */
const LATER = 75

export const exec: ChannelAgent = {
  kind: 'exec',
  label: 'Command',
  about:
    'Runs a program on the server, with the message as JSON on its standard input. Only for administrators, and only programs in `delivery.commands`.',
  digest: { maxItems: 100, rest: 'next' },
  isForAdministrators: true,
  settings: [
    {
      name: 'command',
      label: 'Program',
      hint: 'Its absolute path, as in the setting delivery.commands. It gets no arguments.',
      type: 'text',
      isRequired: true,
    },
  ],
  check: (settings, service) => (service === undefined ? null : commandFault(textOf(settings, 'command'), service)),
  async send(message, settings, { commands, limits }) {
    const command = textOf(settings, 'command')
    // The list may have changed since the channel was saved.
    const fault = commandFault(command, { commands })
    return fault === null ? run(command, message, limits.answerMs) : { kind: 'never', reason: fault }
  },
}

function commandFault(command: string, { commands }: { commands: readonly string[] }): string | null {
  return commands.includes(command) ? null : 'this program is not allowed; delivery.commands lists those that are'
}

/**
 * Exit status 0: delivered; 75: later; any other: never. A program that is killed, or that can't be started, is run again later. It
 * runs in a process group of its own, so that the timeout kills its child processes as well.
 */
function run(command: string, message: Message, maxMs: number): Promise<SendOutcome> {
  return new Promise((resolve) => {
    const child = spawn(command, [], {
      ...{ cwd: '/', env: environmentOf(message), detached: true, stdio: 'pipe' },
    })
    let output = ''
    const isLate = AbortSignal.timeout(maxMs)
    const end = (outcome: SendOutcome): void => {
      isLate.removeEventListener('abort', kill)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
      resolve(outcome)
    }
    const kill = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // It has just exited.
      }
    }
    isLate.addEventListener('abort', kill)
    child.on('error', (error) => end({ kind: 'later', reason: oneLine(error.message, 300) }))
    // While this process has too many files open, a program has no streams; the error follows.
    if (child.stdin === undefined) return
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < MAX_OUTPUT) output += text.slice(0, MAX_OUTPUT - output.length)
      })
    // Not `close`: its child processes may keep its output open for ever.
    child.on('exit', (status, signal) =>
      setImmediate(() => end(outcomeOf({ status, signal, output, isLate: isLate.aborted }))),
    )
    // Ignored: the program need not read its input.
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(messageJson(message)))
  })
}

type Ended = { status: number | null; signal: string | null; output: string; isLate: boolean }

function outcomeOf({ status, signal, output, isLate }: Ended): SendOutcome {
  const said = oneLine(output, 300)
  const how = isLate
    ? 'took too long and was killed'
    : signal === null
      ? `exit status ${status}`
      : `killed by ${signal}`
  const answer = said === '' ? how : `${how}: ${said}`
  if (status === 0) return { kind: 'delivered', answer }
  return status === LATER || status === null ? { kind: 'later', reason: answer } : { kind: 'never', reason: answer }
}

/** Passes on nothing of the service's own environment, which holds secrets. */
function environmentOf(message: Message): Record<string, string> {
  const [first] = message.items
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    ERACE_ID: oneLine(message.id, 200),
    ERACE_KIND: message.kind,
    ERACE_SUBJECT: subjectOf(message),
    ERACE_TITLE: first === undefined ? '' : nameOf(first),
    ERACE_URL: oneLine(first?.url ?? '', 2000),
    ERACE_LINK: oneLine(linkOf(message), 2000),
    ERACE_URGENCY: String(first?.urgency ?? 1),
  }
}
