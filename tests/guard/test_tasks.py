"""Rules about the project's own tasks and scripts, databases and tests, in words."""

import pytest

from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("never run the prod seed",
         ["npm run seed:prod", "NODE_ENV=production npm run seed", "make seed-prod", "./scripts/seed-prod.sh",
          "python manage.py seed --env prod", "bash scripts/prod_seed.sh", "yarn seed:prod"],
         ["npm run seed:dev", "make seed", "cat scripts/seed-prod.sh", "grep -n prod scripts/seed.sh"]),
        ("never run the nightly import job by hand",
         ["npm run import:nightly", "make nightly-import", "python scripts/nightly_import.py"],
         ["make import-dev", "git log --grep nightly"]),
        ("never run the e2e tests locally", ["npm run test:e2e", "make e2e", "pnpm e2e", "pytest tests/e2e"],
         ["npm test", "cat e2e/a.test.ts", "pytest tests/unit"]),
        ("the load test must never be run against staging",
         ["npm run loadtest -- --env staging", "make load-test ENV=staging"], ["make load-test ENV=local"]),
        ("do not reset the database",
         ["npx prisma migrate reset", "rails db:reset", "npm run db:reset", "make reset-db", "./manage.py reset_db"],
         ["git reset --hard", "npm run db:seed", "npx prisma migrate dev"]),
        ("no seeding of the production database", ["npm run seed:production", "RAILS_ENV=production rails db:seed"],
         ["rails db:seed"]),
        ("please don't trigger the billing job", ["rake billing", "node scripts/billing-job.js"], ["npm run dev"]),
        ("never launch the cleanup script", ["npx tsx tools/cleanup.ts", "./bin/cleanup"], ["cat tools/cleanup.ts"]),
        ("don't start the dev server", ["npx vite", "npm run dev"], ["npx vite build"]),
    ],
)  # fmt: skip
def test_a_task_is_known_by_its_words(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("never touch the production database",
         ["psql $PROD_DATABASE_URL -c 'select 1'", "psql -h prod-db app", "heroku pg:psql --app myapp-prod"],
         ["psql -h localhost app"]),
        ("don't modify data in the prod database",
         ["psql -h prod-db app -c 'UPDATE users set a=1'", "mysql -h prod1 -e 'delete from a'"],
         ["psql -h prod-db app -c 'select 1'", "psql -h localhost -c 'delete from a'"]),
        ("don't drop tables or delete data in the production database",
         ["psql $PROD_DATABASE_URL -c 'DROP TABLE users'", "psql -h prod-db app -c 'delete from orders'",
          "echo 'drop table users;' | psql -h prod-db"],
         ["psql -h prod-db app -c 'select deleted_at from a'", "psql -h localhost -c 'drop table a'"]),
    ],
)  # fmt: skip
def test_a_database_is_known_by_its_place(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    "rule",
    [
        "never run the risk of losing data", "don't run long jobs", "don't start big refactorings",
        "don't run the same check twice", "don't run the tests in parallel", "don't run around in circles",
        "do not use the import job as an excuse", "never reset my changes",
    ],
)  # fmt: skip
def test_what_names_no_task_makes_no_guard(rule):
    assert [p.plain for p in compile(rule) if p.mode != "inform"] == []
