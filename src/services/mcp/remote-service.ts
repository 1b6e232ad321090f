import {
  type JSONObject,
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
  ProtocolErrorCode,
  type RequestMethod,
  type Result,
  Server,
} from '@modelcontextprotocol/server'
import { version } from '../../config/version.ts'
import { AppError } from '../../core/errors.ts'
import { instructions } from './mcp-server.ts'

/** A service that runs elsewhere, and the token to act with there. */
export type RemoteService = { url: string; token: string }

const TIMEOUT_MS = 60_000
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

const forwarded = ['tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read'] as const

/**
 * A proxy to the MCP endpoint of a service, for clients that can only start a program. The service does the work, and decides what the
 * token may do. The protocol version is negotiated with the client here.
 */
export function createRemoteServer(service: RemoteService): Server {
  const info = { name: 'erace', title: 'eRACE', version }
  const server = new Server(info, { instructions, capabilities: { tools: {}, resources: {} } })
  for (const method of forwarded)
    server.setRequestHandler(method, async ({ params }) => (await ask(service, method, params)) as never)
  return server
}

/** Throws if the service can't be reached or doesn't accept the token. */
export async function checkRemote(service: RemoteService): Promise<void> {
  await ask(service, 'tools/list', {}).catch((error: unknown) => {
    throw error instanceof ProtocolError ? new AppError('usage-wrong', error.message, { cause: error }) : error
  })
}

async function ask({ url, token }: RemoteService, method: RequestMethod, params: unknown): Promise<Result> {
  const { _meta, ...rest } = (params ?? {}) as Record<string, unknown>
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': LATEST_PROTOCOL_VERSION,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: rest }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) =>
    refuse(`${url} can't be reached: ${(error.cause as Error | undefined)?.message ?? error.message}`),
  )
  const text = await limitedText(response)
  const message = messageOf(response.headers.get('content-type') ?? '', text)
  if (message?.result !== undefined) return message.result as Result
  const { error } = message ?? {}
  if (typeof error?.code === 'number') throw new ProtocolError(error.code, String(error.message), error.data)
  return refuse(
    error === undefined
      ? `${url}/mcp answered with status ${response.status}; is it an eRACE service?`
      : `${error.code}: ${error.message}`,
  )
}

type Message = { result?: JSONObject; error?: { code: number | string; message: string; data?: unknown } }

/** The first message of an answer, which is JSON or a stream of events; null if there is none. */
function messageOf(type: string, text: string): Message | null {
  const json = type.startsWith('text/event-stream') ? (/^data: ?(.+)$/m.exec(text)?.[1] ?? '') : text
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Message) : null
  } catch {
    return null
  }
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) refuse('the answer of the service is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function refuse(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InternalError, message)
}
