import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api } from '../api/client.ts'
import type { NewToken, Token } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { useMe } from '../session/session.ts'
import { faultOf, restOf } from './form-fault.ts'

type Scope = Token['scopes'][number]
const DAY_MS = 86_400_000
const expiries = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
]
const scopeOptions: { value: Scope; label: string }[] = [
  { value: 'read', label: 'Read what is mine' },
  { value: 'write', label: 'Read and change what is mine' },
  { value: 'admin', label: 'Everything, also what is for administrators' },
]
/** Each includes those before it. */
const scopesOf: Record<Scope, Scope[]> = { read: ['read'], write: ['read', 'write'], admin: ['read', 'write', 'admin'] }

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const client = useQueryClient()
  const formId = useId()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('read')
  const [days, setDays] = useState('90')
  const make = useMutation({
    mutationFn: () => {
      const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
      return api.post<NewToken>('/tokens', { name: name.trim(), scopes: scopesOf[scope], expiresAt })
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['tokens'] }),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }
  if (make.data !== undefined) return <Secret token={make.data} onClose={onClose} />
  const rest = restOf(make.error, ['name'])
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" disabled={name.trim() === '' || make.isPending}>
            Make the token
          </Button>
        </>
      }
    >
      <form id={formId} className="kit-form" onSubmit={submit}>
        <Field label="Name" hint="What uses it, as “backup script”" error={faultOf(make.error, 'name')}>
          <Input maxLength={100} required value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="It may">
          <Select
            value={scope}
            options={scopeOptions.filter(({ value }) => value !== 'admin' || me.role === 'administrator')}
            onChange={(value) => setScope(value as Scope)}
          />
        </Field>
        <Field label="It ends">
          <Select value={days} options={expiries} onChange={setDays} />
        </Field>
        {rest !== undefined && (
          <p className="kit-field-error" role="alert">
            {rest}
          </p>
        )}
      </form>
    </Dialog>
  )
}

function Secret({ token, onClose }: { token: NewToken; onClose: () => void }) {
  const [said, setSaid] = useState('')
  async function copy() {
    try {
      await navigator.clipboard.writeText(token.token)
      setSaid('Copied.')
    } catch {
      setSaid('The browser does not allow it; select the text and copy it.')
    }
  }
  return (
    <Dialog
      title={`The token “${token.name}”`}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      }
    >
      <div className="kit-form">
        <p>Copy it now: it is shown this once. Whoever has it acts for you.</p>
        <Field label="Token">
          <Input
            className="settings-secret"
            readOnly
            value={token.token}
            onFocus={(event) => event.currentTarget.select()}
          />
        </Field>
        <div className="kit-row">
          <Button icon="copy" onClick={() => void copy()}>
            Copy
          </Button>
          <span className="soft" role="status">
            {said}
          </span>
        </div>
      </div>
    </Dialog>
  )
}
