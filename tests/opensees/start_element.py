"""What `backend: opensees` starts in the tests: SCRIPT PORT, one client, then the end."""
import sys

import fake_servers

sys.argv = [sys.argv[0], "element", sys.argv[1], "--once"]
sys.exit(fake_servers.main())
