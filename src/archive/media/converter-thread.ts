import { parentPort } from 'node:worker_threads'
import { converters, linkReaders } from './converters.ts'
import { serveConverters } from './serve-converters.ts'

serveConverters(parentPort!, converters, linkReaders)
