import { startService } from 'erace'

const service = await startService({ data: 'service-data', config: { server: { port: 0 } } })

process.once('SIGINT', () => void service.stop())

const { status } = await fetch(`${service.url}/readyz`)
console.log(status === 200 ? 'ready' : `not ready: ${status}`)
await service.ended
console.log('stopped')
