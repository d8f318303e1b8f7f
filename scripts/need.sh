# need.sh -- sourced by the other scripts: `need PACKAGE ...` installs the Debian packages
# that are missing, with sudo when not root.  Nothing is done, and no network is needed,
# when all are there.

need() {
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
        *' installed') ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "These packages are missing, and there is no apt-get to install them:$missing" >&2
        return 1
    fi
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
    fi
    echo "Installing$missing"
    log=$(mktemp)
    # shellcheck disable=SC2086  # words are wanted
    {
        $as_root apt-get -qq update &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
                --no-install-recommends install $missing
    } >"$log" 2>&1 || {
        cat "$log" >&2
        rm -f "$log"
        echo "Cannot install$missing" >&2
        return 1
    }
    rm -f "$log"
}

# The last two are for `peck ask`: without them it says so, and all else is built.
BUILD_PACKAGES="build-essential pkg-config zlib1g-dev libzstd-dev libsqlite3-dev libmicrohttpd-dev"
# The Python package is built with cffi and setuptools, and tested beside numpy and scikit-learn;
# peck-mpi with Open MPI.
TEST_PACKAGES="libcmocka-dev python3 python3-numpy clang clang-format
    python3-dev python3-cffi python3-setuptools python3-pytest python3-sklearn
    libopenmpi-dev openmpi-bin"

cores() {
    nproc 2>/dev/null || echo 1
}
