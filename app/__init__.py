"""The Qt workbench. No SQL, no algorithm: it asks core and draws what core answers."""
