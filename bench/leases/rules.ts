import { AppError } from '../../src/core/errors.ts'
import { partitionCount } from '../../src/core/partition.ts'
import type { PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { leaseFunctions } from '../../src/store/postgres/leases/leases-functions.ts'

const wholeNumber = new RegExp(`\\b${partitionCount}\\b`, 'g')

/**
 * Gives a database that has the schema another number of partitions. What is simulated then is the text of the program's own
 * `lease_beat` with that one number exchanged.
 */
export async function setPartitions(pool: PostgresPool, partitions: number): Promise<void> {
  if (partitions === partitionCount) return
  if (!wholeNumber.test(leaseFunctions))
    throw new AppError('internal', 'lease_beat does not name the number of partitions any more')
  const changed = leaseFunctions
    .replaceAll(wholeNumber, `${partitions}`)
    .replaceAll('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')
  for (const statement of changed.split(/(?<=END \$\$;)/)) if (statement.trim() !== '') await pool.query(statement)
  await pool.query('INSERT INTO leases (partition) SELECT generate_series($1::int, $2::int - 1)', [
    partitionCount,
    partitions,
  ])
}
