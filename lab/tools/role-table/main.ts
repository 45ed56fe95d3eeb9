import { getBundles } from '../../../lib/functions/function-bundles.ts';
import { writeParts } from '../../support/generated-parts.ts';
import { computeRoleTables } from './role-tables.ts';

writeParts(['roles.md'], computeRoleTables(getBundles()));
