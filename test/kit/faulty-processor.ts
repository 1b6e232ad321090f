import {
  createProcessor as createRealProcessor,
  type Processor,
  type ProcessorDeps,
} from '../../src/services/annotating/processor.ts'
import { type Fault, faultyVersions } from './processing-faults.ts'

/** Replaces the processor in a process started with `withFault`. */
export function createProcessor(deps: ProcessorDeps): Processor {
  const versions = faultyVersions(deps.stores.versions, process.env.PROCESSING_FAULT as Fault)
  return createRealProcessor({ ...deps, stores: { ...deps.stores, versions } })
}
