import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Settings } from '../s3/client.ts'
import { createCheckingProxy } from './signature-check.testkit.ts'

/** The part of the package `s3rver` used here; it has no types. */
type ServerClass = new (options: {
  address: string
  port: number
  silent: boolean
  directory: string
  vhostBuckets: boolean
  serviceEndpoint: string
  configureBuckets: readonly { name: string; configs: readonly string[] }[]
}) => { run(): Promise<AddressInfo>; close(): Promise<void> }

const Server = createRequire(import.meta.url)('s3rver') as ServerClass

export type S3Server = {
  settings: S3Settings
  /** Stops the server until `start`; its data stays on disk. */
  stop(): Promise<void>
  start(): Promise<void>
  end(): Promise<void>
}

const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' }

/** An S3 server on loopback with one bucket. It accepts only these keys and checks signatures. */
export async function startS3Server({ pathStyle = true } = {}): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'erace-s3-'))
  let port = 0
  let running: { server: InstanceType<ServerClass>; proxy: HttpServer } | null = null

  async function start(): Promise<void> {
    const server = new Server({
      ...{
        address: '127.0.0.1',
        port: 0,
        silent: true,
        directory,
        vhostBuckets: !pathStyle,
        serviceEndpoint: 'localhost',
      },
      configureBuckets: [{ name: 'bodies', configs: [] }],
    })
    const inner = (await server.run()).port
    const proxy = createCheckingProxy(keys, () => inner).listen(port, '127.0.0.1')
    await once(proxy, 'listening')
    port = (proxy.address() as AddressInfo).port
    running = { server, proxy }
  }

  async function stop(): Promise<void> {
    const ending = running
    running = null
    if (ending === null) return
    const closed = once(ending.proxy, 'close')
    ending.proxy.close()
    ending.proxy.closeAllConnections()
    await closed
    await ending.server.close()
  }

  await start()
  const host = pathStyle ? '127.0.0.1' : 's3.localhost'
  return {
    settings: { endpoint: `http://${host}:${port}`, region: 'us-east-1', bucket: 'bodies', ...keys, pathStyle },
    start,
    stop,
    async end() {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
