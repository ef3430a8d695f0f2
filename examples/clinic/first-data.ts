// The first records, which the system creates through the API.

import type { Clinic } from './api.ts'

/** Creates two sites, two technicians, and the users `desk`, `ada` and `ben`, unless there are sites. */
export async function openForBusiness(api: Clinic, password: string): Promise<void> {
  const system = api.as('system')
  const sites = await system.sites.list({ limit: 1 }).unwrap()
  if (sites.length > 0) return
  await system.sites.createMany([{ name: 'Harbour' }, { name: 'North' }]).unwrap()
  const technicians = await system.technicians
    .createMany([{ name: 'Ada' }, { name: 'Ben' }])
    .unwrap()
  await system.services
    .createMany([
      { name: 'Check', price: '40.00' },
      { name: 'Repair', price: '95.50' },
    ])
    .unwrap()
  await system.users.create({ username: 'desk', password, roles: ['reception'] }).unwrap()
  for (const technician of technicians) {
    const user = { username: technician?.name.toLowerCase() ?? '', password, roles: [] }
    await system.users.create({ ...user, technician_id: technician?.id ?? null }).unwrap()
  }
}
